import { own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'

/** The kinds of JSON values; numbers are told apart by whether they are whole. */
export type JsonType = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object'

const every: readonly JsonType[] = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object']

/** The kind of a value. */
export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'boolean' : 'object'
}

/** The kinds of the values that fit `type`, `const` and `enum` of all the schemas. */
export function typesOf(plain: readonly SchemaObject[]): readonly JsonType[] {
  return plain.reduce<readonly JsonType[]>((left, schema) => {
    const types = known.get(schema) ?? ownTypes(schema)
    known.set(schema, types)
    return left === every ? types : left.filter((type) => types.includes(type))
  }, every)
}

/** What was read of schemas: every value that is made or tried asks for it. */
const known = new WeakMap<SchemaObject, readonly JsonType[]>()

function ownTypes(schema: SchemaObject): readonly JsonType[] {
  const named = own(schema, 'type')
  const allowed = named === undefined ? every : [named].flat().flatMap(typesNamed)
  const values = own(schema, 'enum')
  const listed = Array.isArray(values) ? values.map((value: Json) => jsonTypeOf(value)) : every
  const only = Object.hasOwn(schema, 'const') ? [jsonTypeOf(own(schema, 'const') ?? null)] : every
  return every.filter((type) => [allowed, listed, only].every((types) => types.includes(type)))
}

/** Kinds in the words of `type`. */
export function typeNames(types: readonly JsonType[]): readonly string[] {
  const hasFractions = types.includes('fraction')
  return types.flatMap((type) => {
    if (type === 'integer') return hasFractions ? [] : ['integer']
    return type === 'fraction' ? ['number'] : [type]
  })
}

function typesNamed(name: Json): readonly JsonType[] {
  if (name === 'number') return ['integer', 'fraction']
  return every.filter((type) => type === name && type !== 'fraction')
}
