import { eachSubschema } from '@toolgen/runtime/schema'
import { cachedBy } from '../defined.js'
import { type Defs, isObject, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { knownBySchema } from '../schema/keywords.js'
import { refName } from '../schema/references.js'

/** For values without declared fields, dates, bigints or bytes, a serializer would return the text of `JSON.stringify`. */
export function hasDeclaredParts(schema: Schema, defs: Defs): boolean {
  return typeof schema !== 'boolean' && declaresParts(schema, defs)
}

const declaresParts = knownBySchema((schema, defs) =>
  visits(schema, defs, (part) => hasKeyword(part, 'properties', 'patternProperties', 'x-js')),
)

export function hasClosedLocations(schema: Schema, defs: Defs): boolean {
  return visits(schema, defs, (part) => {
    const isListing = hasKeyword(part, 'properties', 'patternProperties')
    return hasKeyword(part, 'x-js') || (isListing && !hasKeyword(part, 'additionalProperties'))
  })
}

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

export function visits(schema: Schema, defs: Defs, test: (part: Schema) => boolean): boolean {
  const seen = new Set<string>()
  const visit = (part: Schema): boolean => {
    if (test(part)) return true
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

export function cachedVisits(test: (part: SchemaObject) => boolean): (schema: Schema, defs: Defs) => boolean {
  const read = cachedBy((schema: SchemaObject): ReadonlySet<string> | true => {
    const names = new Set<string>()
    const found = visits(schema, {}, (part) => {
      if (typeof part === 'boolean') return false
      names.add(refName(own(part, '$ref')) ?? '')
      return test(part)
    })
    return found || names
  })
  return (schema, defs) => {
    const schemas = new Set([schema])
    // The loop also visits schemas that are added to the set during the loop.
    for (const part of schemas) {
      if (!isObject(part)) continue
      const names = read(part)
      if (names === true) return true
      for (const name of names) schemas.add(own(defs, name) ?? true)
    }
    return false
  }
}

export function hasKeyword(schema: Schema, ...keywords: readonly string[]): boolean {
  return typeof schema !== 'boolean' && keywords.some((keyword) => Object.hasOwn(schema, keyword))
}

/** The keyword `x-js` is the JavaScript type of a decoded string, such as `Date`. */
export function typeNamed(conjuncts: readonly SchemaObject[]): string | undefined {
  const name = conjuncts.map((conjunct) => own(conjunct, 'x-js')).find((type) => type !== undefined)
  return typeof name === 'string' ? name : undefined
}

export function conditionsNameType(conjuncts: readonly SchemaObject[], defs: Defs): boolean {
  return conjuncts.some((conjunct) =>
    ['if', 'then', 'else', 'dependentSchemas'].some((keyword) => {
      const part = own(conjunct, keyword)
      return isObject(part) && visits({ properties: part, allOf: [part] }, defs, (inner) => hasKeyword(inner, 'x-js'))
    }),
  )
}
