import { own } from '../schema/json/json.js'
import type { Schema, SchemaObject } from '../schema/json/json-schema.js'
import { eachSubschema } from '../schema/json/keywords.js'
import { refName } from '../schema/json/pointer.js'
import type { Defs } from './conjuncts.js'
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
  const seen = new Set<string>()
  const visit = (part: Schema): boolean => {
    if (typeof part === 'boolean') return part
    if (isOpen(part)) return true
    const name = refName(own(part, '$ref'))
    if (name !== undefined && !seen.has(name)) {
      seen.add(name)
      if (visit(defs[name] ?? true)) return true
    }
    let found = false
    eachSubschema(part, (inner) => {
      found ||= visit(inner)
    })
    return found
  }
  return visit(schema)
}

function isOpen(schema: SchemaObject): boolean {
  const kinds = kindsOf([schema])
  const isListing = listing.some((keyword) => Object.hasOwn(schema, keyword))
  if ((kinds === undefined || kinds.includes('object')) && !isListing) return true
  return kinds?.includes('array') === true && !isListing && !Object.hasOwn(schema, 'items')
}
