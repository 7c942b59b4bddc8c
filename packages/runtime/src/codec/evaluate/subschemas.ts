import { type Fields, isFields } from '../json/kind.js'
import type { Segment } from '../json/pointer.js'
import { keyword } from './keywords.js'

/** A subschema with its path below the schema that holds it. */
export type Subschema = readonly [schema: unknown, ...path: Segment[]]

const inPlace = {
  single: ['not', 'if', 'then', 'else'],
  lists: ['allOf', 'anyOf', 'oneOf'],
  maps: ['dependentSchemas'],
} as const

const others = {
  single: [
    'items',
    'additionalProperties',
    'contains',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
    'contentSchema',
  ],
  lists: ['prefixItems'],
  maps: ['properties', 'patternProperties', '$defs', 'definitions'],
} as const

/** The subschemas that apply to the same value as the schema itself. */
export function inPlaceSubschemas(schema: Fields): readonly Subschema[] {
  return subschemasOf(schema, inPlace)
}

/** All subschemas. */
export function allSubschemas(schema: Fields): readonly Subschema[] {
  return [...subschemasOf(schema, inPlace), ...subschemasOf(schema, others)]
}

function subschemasOf(
  schema: Fields,
  names: { readonly single: readonly string[]; readonly lists: readonly string[]; readonly maps: readonly string[] },
): readonly Subschema[] {
  const found: Subschema[] = []
  for (const name of names.single) if (Object.hasOwn(schema, name)) found.push([schema[name], name])
  for (const name of names.lists) {
    const list = keyword(schema, name)
    if (Array.isArray(list)) for (const [index, part] of list.entries()) found.push([part, name, index])
  }
  for (const name of names.maps) {
    const map = keyword(schema, name)
    if (isFields(map)) for (const [key, part] of Object.entries(map)) found.push([part, name, key])
  }
  return found
}
