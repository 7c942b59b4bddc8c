import { deepEqual } from '@toolgen/runtime/schema'
import { cachedBy } from '../defined.js'
import { type Json, own, type SchemaObject } from '../schema/json-schema.js'

/** `fraction` is a number that is not an integer. */
export type JsonType = 'null' | 'boolean' | 'integer' | 'fraction' | 'string' | 'array' | 'object'

const jsonTypes: readonly JsonType[] = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object']

export function jsonTypeOf(value: Json): JsonType {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'boolean' : 'object'
}

export function typesOf(plain: readonly SchemaObject[]): readonly JsonType[] {
  return plain.reduce<readonly JsonType[]>((left, schema) => {
    const types = ownTypes(schema)
    return left === jsonTypes ? types : left.filter((type) => types.includes(type))
  }, jsonTypes)
}

const ownTypes = cachedBy((schema: SchemaObject): readonly JsonType[] => {
  const names = [own(schema, 'type') ?? ['number', ...jsonTypes]].flat()
  const lists = listedBy(schema).map((list) => list.map(jsonTypeOf))
  return jsonTypes.filter((type) => {
    const isNumber = type === 'fraction' || (type === 'integer' && !names.includes('integer'))
    return names.includes(isNumber ? 'number' : type) && lists.every((types) => types.includes(type))
  })
})

export function typeNames(types: readonly JsonType[]): readonly string[] {
  return types
    .filter((type) => type !== 'integer' || !types.includes('fraction'))
    .map((type) => (type === 'fraction' ? 'number' : type))
}

export function finiteValues(plain: readonly SchemaObject[], types: readonly JsonType[]): readonly Json[] | undefined {
  const [first, ...others] = plain.flatMap(listedBy)
  if (first !== undefined) {
    return first.filter(
      (value) =>
        types.includes(jsonTypeOf(value)) && others.every((list) => list.some((each) => deepEqual(each, value))),
    )
  }
  if (!types.every((type) => type === 'null' || type === 'boolean')) return undefined
  return types.flatMap((type): readonly Json[] => (type === 'null' ? [null] : [true, false]))
}

export function listedBy(schema: SchemaObject): readonly (readonly Json[])[] {
  const [values, constant] = [own(schema, 'enum'), own(schema, 'const')]
  return [...(Array.isArray(values) ? [values] : []), ...(constant === undefined ? [] : [[constant]])]
}

export function firstList(plain: readonly SchemaObject[]): readonly Json[] | undefined {
  return plain.flatMap(listedBy)[0]
}
