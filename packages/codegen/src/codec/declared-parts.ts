import { own } from '../schema/json/json.js'
import type { Schema } from '../schema/json/json-schema.js'
import { eachSubschema } from '../schema/json/keywords.js'
import { refName } from '../schema/json/pointer.js'
import type { Defs } from './conjuncts.js'

/** Whether values of a schema hold objects with declared fields, or typed values: not written as JSON.stringify does. */
export function hasDeclaredParts(schema: Schema, defs: Defs): boolean {
  return visits(schema, defs, (part) =>
    ['properties', 'patternProperties', 'x-js'].some((keyword) => Object.hasOwn(part, keyword)),
  )
}

/**
 * Whether values of a schema hold objects of which only listed fields are declared, or typed values. Where the others
 * are said to be refused, or to be anything, no field is undeclared.
 */
export function hasClosedPlaces(schema: Schema, defs: Defs): boolean {
  return visits(schema, defs, (part) => {
    const isListing = ['properties', 'patternProperties'].some((keyword) => Object.hasOwn(part, keyword))
    return Object.hasOwn(part, 'x-js') || (isListing && !Object.hasOwn(part, 'additionalProperties'))
  })
}

/** Whether a schema leads to itself, or to parts that may hold anything: then its values may be of any depth. */
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
export function visits(
  schema: Schema,
  defs: Defs,
  asked: (part: { readonly [keyword: string]: unknown }) => boolean,
): boolean {
  const seen = new Set<string>()
  const visit = (part: Schema): boolean => {
    if (typeof part === 'boolean') return false
    if (asked(part)) return true
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
