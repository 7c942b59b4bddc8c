import { isObject, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { conjunctsOf, type Defs, plainReference, subschema, subschemas } from './conjuncts.js'
import { allKinds, type Kind, kindsOf, reachableKinds } from './kinds.js'
import { hasDeclaredParts } from './parts.js'
import { unionsOf, variantStem, withoutUnion } from './unions.js'

/** One way in which values are made, by their kinds and, among objects, by a tag. */
export interface Variant {
  readonly kinds: readonly Kind[]
  readonly conjuncts: readonly SchemaObject[]
  /** What its functions are named after, beside the union. */
  readonly stem: string
  /** The definition that it is, where it is nothing else. */
  readonly reference?: string | undefined
}

/**
 * The ways to make the values of schemas that all apply, with unions told apart; `undefined` where they cannot be.
 *
 * @param goesOn asked at each union; `false` gives up
 */
export function variantsOf(
  conjuncts: readonly SchemaObject[],
  defs: Defs,
  goesOn: () => boolean,
): readonly Variant[] | undefined {
  if (!goesOn()) return undefined
  const unions = unionsOf(conjuncts).filter(({ variants }) =>
    variants.some((variant) => hasDeclaredParts(variant, defs) || kindsOf(conjuncts) === undefined),
  )
  const [union, ...others] = unions
  if (union === undefined) return [{ kinds: kindsOf(conjuncts) ?? allKinds, conjuncts, stem: '' }]
  if (others.length > 0) return undefined
  const own = withoutUnion(conjuncts, union)
  const isBare = own.every((conjunct) => !hasDeclaredParts(conjunct, defs))
  const made = union.variants.map((variant, index): readonly Variant[] | undefined => {
    const kinds = reachableKinds({ allOf: [...own, variant] }, defs)
    if (kinds === undefined) return undefined
    const reference = isBare && kinds.length === 1 ? plainReference(variant) : undefined
    const inner = [...own, ...(conjunctsOf(variant, defs) || [])]
    const stem = variantStem(index, union.variants, defs)
    return unionsOf(inner).length === 0 || reference !== undefined
      ? [{ kinds, conjuncts: inner, reference, stem }]
      : variantsOf(inner, defs, goesOn)?.map((one) => ({ ...one, stem: `${stem}${one.stem}` }))
  })
  return made.includes(undefined) ? undefined : made.flatMap((list) => list ?? [])
}

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
