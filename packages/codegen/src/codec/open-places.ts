import type { Schema } from '../schema/json/json-schema.js'
import type { Defs } from './conjuncts.js'
import { hasKeyword, visits } from './declared-parts.js'
import { kindsOf } from './kinds.js'

const listing = [
  'properties',
  'patternProperties',
  'additionalProperties',
  'const',
  'enum',
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
]

/** Whether values of a schema have places where any object may stand, since nothing says which fields it has. */
export function hasOpenPlaces(schema: Schema, defs: Defs): boolean {
  return visits(schema, defs, isOpen)
}

function isOpen(schema: Schema): boolean {
  if (typeof schema === 'boolean') return schema
  const kinds = kindsOf([schema])
  const isListing = hasKeyword(schema, ...listing)
  if ((kinds === undefined || kinds.includes('object')) && !isListing) return true
  return kinds?.includes('array') === true && !isListing && !hasKeyword(schema, 'items')
}
