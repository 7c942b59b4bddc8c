import { isObject, type Json, type Schema, type SchemaObject } from '../../packages/codegen/src/schema/json-schema.js'
import type { Random } from '../codec/differential/random.js'
import { fieldNames } from '../codec/differential/random-schema.js'
import type { Change } from './changed-schema.js'

const steps: readonly number[] = [1, 2, 3, 6, 1.5, 0.5, 0.1, 0.3]
const patterns: readonly string[] = ['^a', 'b$', '^[a-c]+$', '^.$']

/** Changes of rare keywords, and rewrites without a change of meaning. */
export const rareChanges: readonly Change[] = [
  (random, schema) => ({ ...schema, multipleOf: random.pick(steps) }),
  (random, schema) => ({ type: 'number', ...schema, multipleOf: random.pick(steps) }),
  (random, schema) => ({ ...schema, propertyNames: namesRule(random) }),
  (random, schema) => ({ ...schema, patternProperties: { [random.pick(patterns)]: part(random) } }),
  (random, schema) => ({
    ...schema,
    unevaluatedProperties: random.pick<Json>([false, false, true, { type: 'string' }]),
  }),
  (random, schema) => ({ ...schema, unevaluatedItems: random.pick<Json>([false, true, { type: 'string' }]) }),
  (random, schema) => ({ ...schema, dependentRequired: { [random.pick(fieldNames)]: random.some(fieldNames, 0.2) } }),
  (random, schema) => ({ ...schema, dependentSchemas: { [random.pick(fieldNames)]: part(random) } }),
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  (random, schema) => ({ ...schema, if: part(random), then: part(random), else: part(random) }),
  (random, schema) => ({ ...schema, not: part(random) }),
  (random, schema) => ({ ...schema, prefixItems: random.list(1, 2, () => part(random)) }),
  (random, schema) => ({ ...schema, contains: part(random), minContains: random.below(3) }),
  (random, schema) => ({ ...schema, uniqueItems: random.chance(0.7) }),
  (random, schema) => ({ ...schema, minProperties: random.below(3), maxProperties: random.below(4) }),
  // Constraints that no property, item or text can satisfy.
  (random, schema) => ({ ...schema, minLength: 3, maxLength: random.below(4), minItems: 2, maxItems: random.below(3) }),
  (random, schema) => withField(schema, random.pick(fieldNames), { type: 'integer', minimum: 3, maximum: 1 }),
  (random, schema) => withField(schema, random.pick(fieldNames), { not: {} }),
  // A range, and the same or almost the same range in parts.
  (random, schema) => ({
    type: random.pick(['integer', 'number']),
    ...schema,
    minimum: random.below(3),
    maximum: 3 + random.below(9),
  }),
  (random, schema) => inParts(random, schema, 'minimum', 'maximum'),
  (random, schema) => inParts(random, schema, 'minLength', 'maxLength'),
  (random, schema) => inParts(random, schema, 'minItems', 'maxItems'),
  (_, schema) => ({ type: 'integer', enum: [0, 1, 2, 3], ...schema, minimum: 0, maximum: 3 }),
  // Other forms of `additionalProperties: false`.
  (_, schema) => {
    const { additionalProperties, ...rest } = schema
    return additionalProperties === false ? { ...rest, unevaluatedProperties: false } : schema
  },
  (_, schema) => {
    const { unevaluatedProperties, ...rest } = schema
    return unevaluatedProperties === false ? { ...rest, additionalProperties: false } : schema
  },
  (_, schema) => {
    const { propertyNames, additionalProperties = true, ...rest } = schema
    const names = isObject(propertyNames) && Array.isArray(propertyNames.enum) ? propertyNames.enum : []
    const properties = Object.fromEntries(names.map((name: Json) => [String(name), additionalProperties]))
    return names.length === 0 ? schema : { ...rest, properties, additionalProperties: false }
  },
  (_, schema) =>
    Array.isArray(schema.enum) ? { anyOf: schema.enum.map((value: Json) => ({ const: value })) } : schema,
  (_, schema) => (Object.hasOwn(schema, 'const') ? { enum: [schema.const ?? null] } : schema),
]

/** Returns the values of a schema as two or three variants, which are adjacent, overlap, or leave a gap. */
function inParts(random: Random, schema: SchemaObject, least: string, most: string): Schema {
  const cut = 1 + random.below(4)
  const next = cut + random.pick([1, 1, 1, 0, 2])
  const below = { ...schema, [most]: cut }
  const above = { ...schema, [least]: next }
  const union = random.pick(['anyOf', 'anyOf', 'oneOf'])
  return { [union]: random.chance(0.3) ? [below, above, { enum: [cut, next, 'a'] }] : [below, above] }
}

const parts: readonly Schema[] = [
  ...[true, false, {}, { type: 'string' }, { type: ['string', 'null'] }, { type: 'integer' }, { type: 'object' }],
  ...[
    { const: 'a' },
    { enum: ['a', 'b', 1, null] },
    { minimum: 1 },
    { multipleOf: 2 },
    { maxLength: 2 },
    { pattern: '^a' },
  ],
  ...[{ maxItems: 1 }, { items: { type: 'string' } }, { minProperties: 1 }, { additionalProperties: false }],
  { properties: { a: { type: 'string' } }, required: ['a'] },
  { properties: { kind: { const: 'card' } } },
]

function part(random: Random): Schema {
  return random.chance(0.2) ? { required: [random.pick(fieldNames)] } : random.pick(parts)
}

function namesRule(random: Random): SchemaObject {
  if (random.chance(0.5)) return { enum: [...random.some(fieldNames, 0.4), 'a'].filter((name) => name !== '__proto__') }
  return random.chance(0.5) ? { pattern: random.pick(patterns) } : { maxLength: 1 + random.below(3) }
}

function withField(schema: SchemaObject, name: string, field: SchemaObject): SchemaObject {
  const properties = isObject(schema.properties) ? schema.properties : {}
  return { ...schema, properties: { ...properties, [name]: field } }
}
