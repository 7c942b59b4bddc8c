import { own } from '../schema/json/json.js'
import type { Schema } from '../schema/json/json-schema.js'
import { eachSubschema } from '../schema/json/keywords.js'
import { knownBySchema } from '../schema/json/known-by-schema.js'
import { refName } from '../schema/json/pointer.js'
import type { Defs } from './conjuncts.js'

/** Whether values of a schema hold objects with declared fields, or typed values: not written as JSON.stringify does. */
export function hasDeclaredParts(schema: Schema, defs: Defs): boolean {
  return typeof schema !== 'boolean' && declaresParts(schema, defs)
}

const declaresParts = knownBySchema((schema, defs) =>
  visits(schema, defs, (part) => hasKeyword(part, 'properties', 'patternProperties', 'x-js')),
)

/**
 * Whether values of a schema hold objects of which only listed fields are declared, or typed values. Where the others
 * are said to be refused, or to be anything, no field is undeclared.
 */
export function hasClosedPlaces(schema: Schema, defs: Defs): boolean {
  return visits(schema, defs, (part) => {
    const isListing = hasKeyword(part, 'properties', 'patternProperties')
    return hasKeyword(part, 'x-js') || (isListing && !hasKeyword(part, 'additionalProperties'))
  })
}

/** Whether a schema leads to itself: then its values may be of any depth. */
export function isDeep(schema: Schema, defs: Defs): boolean {
  const names = new Set<string>()
  let isRecursive = false
  const follow = (part: Schema, within: readonly string[]): void => {
    if (typeof part === 'boolean') return
    const name = refName(own(part, '$ref'))
    if (name !== undefined && within.includes(name)) isRecursive = true
    else if (name !== undefined && !names.has(name)) {
      follow(defs[name] ?? true, [...within, name])
      names.add(name)
    }
    eachSubschema(part, (inner) => follow(inner, within))
  }
  follow(schema, [])
  return isRecursive
}

/** Whether a schema, or one that it leads to, is as asked. */
export function visits(schema: Schema, defs: Defs, asked: (part: Schema) => boolean): boolean {
  const seen = new Set<string>()
  const visit = (part: Schema): boolean => {
    if (asked(part)) return true
    if (typeof part === 'boolean') return false
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

/** Whether a schema has one of the keywords. */
export function hasKeyword(schema: Schema, ...keywords: readonly string[]): boolean {
  return typeof schema !== 'boolean' && keywords.some((keyword) => Object.hasOwn(schema, keyword))
}
