import { isLegalPattern, mapSubschemas } from '@toolgen/runtime/schema'
import { isObject, isSchema, type Json, type Schema, type SchemaObject, without } from './json-schema.js'

/** Kind of the value that a keyword needs. */
export type KeywordValue =
  | 'schema'
  | 'schemas'
  | 'schema map'
  | 'type'
  | 'text'
  | 'pattern'
  | 'number'
  | 'positive number'
  | 'count'
  | 'flag'
  | 'list'
  | 'names'
  | 'names map'
  | 'anything'

/** Every keyword of JSON Schema 2020-12 that is understood, with what its value must be. */
export const keywords: ReadonlyMap<string, KeywordValue> = new Map<string, KeywordValue>([
  ...each(['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'unevaluatedItems'], 'schema'),
  ...each(['contains', 'not', 'if', 'then', 'else', 'contentSchema'], 'schema'),
  ...each(['allOf', 'anyOf', 'oneOf', 'prefixItems'], 'schemas'),
  ...each(['properties', 'patternProperties', 'dependentSchemas', '$defs'], 'schema map'),
  ...each(['type'], 'type'),
  ...each(['title', 'description', '$ref', '$schema', '$id', '$anchor', '$comment', 'format'], 'text'),
  ...each(['contentEncoding', 'contentMediaType'], 'text'),
  ...each(['pattern'], 'pattern'),
  ...each(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], 'number'),
  ...each(['multipleOf'], 'positive number'),
  ...each(['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'], 'count'),
  ...each(['minProperties', 'maxProperties'], 'count'),
  ...each(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'], 'flag'),
  ...each(['enum', 'examples'], 'list'),
  ...each(['required'], 'names'),
  ...each(['dependentRequired'], 'names map'),
  ...each(['const', 'default'], 'anything'),
])

/** Keywords that restrict nothing: what people and models read of a schema. */
export const annotations: readonly string[] = [
  ...['title', 'description', 'default', 'examples', '$comment'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]

/** A schema without what restricts nothing; many schemas differ in that alone. */
export function rulesOnly(schema: Schema): Schema {
  return typeof schema === 'boolean' ? schema : mapSubschemas(without(schema, annotations), rulesOnly)
}

/** The names that `type` may have. */
export const typeNames: readonly string[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

function each(names: readonly string[], value: KeywordValue): readonly (readonly [string, KeywordValue])[] {
  return names.map((name) => [name, value])
}

/** A copy that shares no schema with the original. */
export function copyOf(schema: Schema): Schema {
  return typeof schema === 'boolean' ? schema : mapSubschemas({ ...schema }, copyOf)
}

/**
 * Returns the expected value of a keyword, as "a number above 0"; `undefined` when it is right, and for what is no
 * keyword.
 *
 * @example
 * expectedValue('required', 'id') // 'a list of names'
 */
export function expectedValue(keyword: string, value: Json): string | undefined {
  const kind = keywords.get(keyword)
  if (kind === undefined) return undefined
  const keyed = keyword === 'patternProperties' && isObject(value) ? Object.keys(value) : []
  const badKey = keyed.find((key) => !isLegalPattern(key))
  return badKey === undefined ? expectation(kind, value) : `keyed by regular expressions, not \`${badKey}\``
}

function expectation(kind: KeywordValue, value: Json): string | undefined {
  switch (kind) {
    case 'schema':
      return isSchema(value) ? undefined : 'a schema'
    case 'schemas':
      return isFullList(value) && value.every(isSchema) ? undefined : 'a list of at least one schema'
    case 'schema map':
      return isObject(value) && Object.values(value).every(isSchema) ? undefined : 'an object of schemas'
    case 'type':
      return isTypeList(value) ? undefined : `one or several of: ${typeNames.join(', ')}`
    case 'text':
      return typeof value === 'string' ? undefined : 'a text'
    case 'pattern':
      return typeof value === 'string' && isLegalPattern(value) ? undefined : 'a regular expression'
    case 'number':
      return typeof value === 'number' ? undefined : 'a number'
    case 'positive number':
      return typeof value === 'number' && value > 0 ? undefined : 'a number above 0'
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? undefined : 'a whole number from 0 on'
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'list':
      return Array.isArray(value) ? undefined : 'a list'
    case 'names':
      return isNames(value) ? undefined : 'a list of names'
    case 'names map':
      return isObject(value) && Object.values(value).every(isNames) ? undefined : 'an object of lists of names'
    case 'anything':
      return undefined
  }
}

function isFullList(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isTypeList(value: Json): boolean {
  const names: readonly Json[] = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every((name) => typeof name === 'string' && typeNames.includes(name))
}

type Defs = Readonly<Record<string, Schema>>

/**
 * A function of a schema over definitions that remembers what it gave: types and the makers of checks, writers and
 * pickers ask the same of the same schemas, and of what they lead to, again and again. Schemas never change.
 */
export function knownBySchema<T>(
  read: (schema: SchemaObject, defs: Defs) => T,
): (schema: SchemaObject, defs: Defs) => T {
  const byDefs = new WeakMap<Defs, WeakMap<SchemaObject, { readonly value: T }>>()
  return (schema, defs) => {
    const known = byDefs.get(defs) ?? new WeakMap<SchemaObject, { readonly value: T }>()
    const input = known.get(schema) ?? { value: read(schema, defs) }
    byDefs.set(defs, known.set(schema, input))
    return input.value
  }
}
