import { isObject, own, stringsOf } from '../schema/json/json.js'
import type { Schema, SchemaObject } from '../schema/json/json-schema.js'
import { conjunctsOf, type Defs, subschema, subschemas } from './conjuncts.js'

/** Conditions within conditions are looked through so far. */
const deepestUnion = 5

/**
 * Whether conditions or unions of schemas that all apply speak of fields that are not known.
 *
 * @param within the schemas that led here
 */
export function mayDeclare(
  conjuncts: readonly SchemaObject[],
  isKnown: (name: string) => boolean,
  defs: Defs,
  within: readonly Schema[] = [],
): boolean {
  return conjuncts.some((conjunct) => {
    const dependent = own(conjunct, 'dependentSchemas')
    const inPlace: readonly Schema[] = [
      ...['if', 'then', 'else'].map((keyword) => subschema(conjunct, keyword)).filter((part) => part !== undefined),
      ...['anyOf', 'oneOf'].flatMap((keyword) => subschemas(conjunct, keyword)),
      ...(isObject(dependent) ? Object.keys(dependent).map((name) => subschema(dependent, name) ?? true) : []),
    ]
    return inPlace.some((part) => {
      if (within.includes(part)) return false
      // Nobody looks further: then it may.
      if (within.length > deepestUnion) return true
      const parts = conjunctsOf(part, defs) || []
      return parts.some((other) => speaksOf(other, isKnown)) || mayDeclare(parts, isKnown, defs, [...within, part])
    })
  })
}

function speaksOf(schema: SchemaObject, isKnown: (name: string) => boolean): boolean {
  const properties = own(schema, 'properties')
  const names = [...(isObject(properties) ? Object.keys(properties) : []), ...stringsOf(schema, 'required')]
  const isOpen = ['patternProperties', 'additionalProperties'].some((keyword) => Object.hasOwn(schema, keyword))
  return isOpen || !names.every(isKnown)
}
