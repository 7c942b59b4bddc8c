import type { Json, Schema } from '../../../packages/codegen/src/schema/json-schema.js'
import type { SchemaCase } from './compiled-codecs.js'
import type { Random } from './random.js'
import { fieldNames } from './random-schema.js'

const texts: readonly string[] = [
  ...['', 'a', 'b', 'ab', 'abc', 'card', '7', 'aé', '\u{1f600}', '\ud800', 'a"\\\n', '/', 'x'.repeat(60)],
  ...['2024-02-29', '2023-02-29', '2024-01-01T00:00:00Z', '12:00:00Z', '10.0.0.1', '10.0.0.256', 'a@b.example'],
  '0b5e2f0a-5b0e-4f0a-9b0e-5b0e4f0a9b0e',
]
const numbers: readonly number[] = [0, 1, 2, 3, 5, -1, -3, 0.5, 0.3, 1.5, -0, 1e21, 1e-7, 4]

/** Returns a random JSON value, independent of a schema. */
export function randomJson(random: Random, depth: number): Json {
  switch (random.below(depth > 0 ? 7 : 4)) {
    case 0:
      return random.pick(texts)
    case 1:
      return random.pick(numbers)
    case 2:
      return random.pick([true, false])
    case 3:
      return null
    case 4:
      return random.list(0, 3, () => randomJson(random, depth - 1)) as Json
    default:
      return objectOf(random.some(fieldNames, 0.3).map((name) => [name, randomJson(random, depth - 1)]))
  }
}

/** Returns a value that matches most parts of a schema, so that the tests reach all parts. */
export function likelyValue(random: Random, { schema, defs }: SchemaCase, depth: number): Json {
  if (typeof schema === 'boolean' || depth < 0 || random.chance(0.04)) return randomJson(random, 1)
  const part = (inner: unknown): Json => likelyValue(random, { schema: (inner ?? true) as Schema, defs }, depth - 1)
  const { $ref, type, properties, items, prefixItems } = schema
  if (typeof $ref === 'string') return part(defs[$ref.slice('#/$defs/'.length)])
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return random.pick(schema.enum)
  const unions = [schema.anyOf, schema.oneOf, schema.allOf].filter((list): list is Json[] => Array.isArray(list))
  const kind = Array.isArray(type) ? random.pick(type) : type
  if (unions.length > 0 && (kind === undefined || random.chance(0.5))) {
    const [first, ...others] = unions.map((list) => part(random.pick(list)))
    return others.reduce<Json>((whole, other) => merged(whole, other), first ?? null)
  }
  switch (kind) {
    case 'string':
      return random.pick(texts)
    case 'number':
    case 'integer':
      return random.pick(numbers)
    case 'boolean':
      return random.pick([true, false])
    case 'null':
      return null
    case 'array': {
      const first = Array.isArray(prefixItems) ? prefixItems.map(part) : []
      return [...first, ...random.list(0, 3, () => part(items))]
    }
    case 'object': {
      const required: readonly Json[] = Array.isArray(schema.required) ? schema.required : []
      const declared = Object.entries(typeof properties === 'object' && properties !== null ? properties : {})
      const given = declared.filter(([name]) => required.includes(name) || random.chance(0.5))
      const entries = given.map(([name, field]): [string, Json] => [name, part(field)])
      const extras = random.chance(0.2) ? [[random.pick(fieldNames), randomJson(random, 1)] as [string, Json]] : []
      return objectOf(random.chance(0.5) ? [...entries, ...extras] : [...extras, ...entries].reverse())
    }
    default:
      return randomJson(random, 2)
  }
}

/** Returns the JavaScript value for a text, for example a `Date`. */
function asTyped(text: string): unknown {
  if (/^\d{4}-.*Z$/.test(text)) return new Date(text)
  if (/^\d$/.test(text)) return BigInt(text)
  return text === 'card' ? new Uint8Array([1, 2]) : text
}

/** Returns the value as a program can have it: some properties are `undefined`, and some texts are JavaScript values. */
export function withUndefined(random: Random, value: Json): unknown {
  if (typeof value === 'string') return random.chance(0.5) ? asTyped(value) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withUndefined(random, item))
  const entries = Object.entries(value).map(([name, part]): [string, unknown] => [name, withUndefined(random, part)])
  const absent = random.chance(0.3) ? [[random.pick(fieldNames), undefined] as [string, unknown]] : []
  return Object.fromEntries([...absent.filter(([name]) => !Object.hasOwn(value, name)), ...entries])
}

function merged(a: Json, b: Json): Json {
  const areObjects = [a, b].every((value) => typeof value === 'object' && value !== null && !Array.isArray(value))
  return areObjects ? objectOf([...Object.entries(a as object), ...Object.entries(b as object)]) : b
}

function objectOf(entries: readonly (readonly [string, Json])[]): Json {
  return Object.fromEntries(entries)
}
