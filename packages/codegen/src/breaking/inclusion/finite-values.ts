import { own, sameJson } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { type JsonType, jsonTypeOf } from './json-types.js'

/** The values of which each is listed by all of the schemas that list values; `undefined` where there is no end of them. */
export function finiteValues(plain: readonly SchemaObject[], types: readonly JsonType[]): readonly Json[] | undefined {
  const lists = plain.flatMap(listedBy)
  const [first, ...others] = lists
  if (first !== undefined) {
    return first.filter(
      (value) =>
        types.includes(jsonTypeOf(value)) && others.every((list) => list.some((other) => sameJson(other, value))),
    )
  }
  if (!types.every((type) => type === 'null' || type === 'boolean')) return undefined
  return types.flatMap((type): readonly Json[] => (type === 'null' ? [null] : [true, false]))
}

/** The values that a schema lists, each keyword by itself. */
export function listedBy(schema: SchemaObject): readonly (readonly Json[])[] {
  const values = own(schema, 'enum')
  const only = own(schema, 'const')
  return [...(Array.isArray(values) ? [values] : []), ...(only === undefined ? [] : [[only]])]
}

/** The first list of values among the schemas. */
export function firstList(plain: readonly SchemaObject[]): readonly Json[] | undefined {
  return plain.flatMap(listedBy)[0]
}
