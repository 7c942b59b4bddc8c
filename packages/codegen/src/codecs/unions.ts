import { deepEqual } from '@toolgen/runtime/schema'
import { isObject, type Json, own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { knownBySchema } from '../schema/keywords.js'
import { pascal } from '../text.js'
import {
  allKinds,
  conjunctsOf,
  type Defs,
  hasDeclaredParts,
  type Kind,
  kindsOf,
  literalsOf,
  overlap,
  plainReference,
  reachableKinds,
  subschema,
  subschemas,
} from './schema-reading.js'

/** A union of a schema: a value satisfies one of its variants, or exactly one. */
export interface Union {
  readonly variants: readonly Schema[]
  readonly isExclusive: boolean
}

/** Returns the unions of schemas which all apply. */
export function unionsOf(conjuncts: readonly SchemaObject[]): readonly Union[] {
  return conjuncts.flatMap((conjunct) => [
    ...unionOf(subschemas(conjunct, 'anyOf'), false),
    ...unionOf(subschemas(conjunct, 'oneOf'), true),
  ])
}

/** Returns the same schemas without one of their unions. */
export function withoutUnion(conjuncts: readonly SchemaObject[], union: Union): readonly SchemaObject[] {
  const keyword = union.isExclusive ? 'oneOf' : 'anyOf'
  return conjuncts.map((conjunct) => {
    const list = own(conjunct, keyword)
    const isIt =
      Array.isArray(list) &&
      list.length === union.variants.length &&
      list.every((item, index) => item === union.variants[index])
    if (!isIt) return conjunct
    const { [keyword]: _union, ...others } = conjunct
    return others
  })
}

/** Checks whether no value satisfies two of the variants. */
export function areDisjoint(variants: readonly Schema[], defs: Defs): boolean {
  return variants.every((variant, index) => variants.slice(index + 1).every((other) => exclude(variant, other, defs)))
}

/** A field that every variant requires with literals of its own. */
export function discriminatorOf(
  variants: readonly Schema[],
  defs: Defs,
): { readonly field: string; readonly literals: readonly (readonly Json[])[] } | undefined {
  const tags = variants.map((variant) => tagsOf(variant, defs))
  for (const field of tags[0]?.keys() ?? []) {
    const lists = tags.map((own) => own.get(field) ?? [])
    const flat = lists.flat()
    const isEach =
      lists.every((list) => list.length > 0) && !flat.some((value) => typeof value === 'object' && value !== null)
    if (isEach && new Set(flat).size === flat.length) return { field, literals: lists }
  }
  return undefined
}

/** Returns the literals of the fields that every object of a schema has. */
function tagsOf(schema: Schema, defs: Defs): ReadonlyMap<string, readonly Json[]> {
  return typeof schema === 'boolean' ? new Map() : readTags(schema, defs)
}

const readTags = knownBySchema((schema, defs): ReadonlyMap<string, readonly Json[]> => {
  const conjuncts = conjunctsOf(schema, defs) || []
  const required = new Set(conjuncts.flatMap((conjunct) => own(conjunct, 'required') ?? []))
  const tags = new Map<string, readonly Json[]>()
  for (const conjunct of conjuncts) {
    const properties = own(conjunct, 'properties')
    for (const [name, field] of isObject(properties) ? Object.entries(properties) : []) {
      const fields = required.has(name) && (typeof field === 'boolean' || isObject(field)) && conjunctsOf(field, defs)
      const literals = fields ? literalsOf(fields) : undefined
      if (literals !== undefined) tags.set(name, literals)
    }
  }
  return tags
})

function exclude(a: Schema, b: Schema, defs: Defs): boolean {
  const kinds = [reachableKinds(a, defs), reachableKinds(b, defs)] as const
  if (kinds[0] === undefined || kinds[1] === undefined) return false
  if (!overlap(kinds[0], kinds[1])) return true
  const literals = [a, b].map((schema) => literalsOf(conjunctsOf(schema, defs) || []))
  if (literals.some((values) => values !== undefined)) {
    const [first, second] = literals
    return (
      first !== undefined &&
      second !== undefined &&
      !first.some((value) => second.some((other) => deepEqual(value, other)))
    )
  }
  const shared = kinds[0].filter((kind) => kinds[1]?.includes(kind))
  return shared.every((kind) => kind === 'object') && discriminatorOf([a, b], defs) !== undefined
}

function unionOf(variants: readonly Schema[], isExclusive: boolean): readonly Union[] {
  return variants.length === 0 ? [] : [{ variants, isExclusive }]
}

/** Returns the part of function names that distinguishes a variant. */
export function variantStem(index: number, variants: readonly Schema[], defs: Defs): string {
  const variant = variants[index] ?? true
  const literals = discriminatorOf(variants, defs)?.literals[index]
  const title = isObject(variant) ? own(variant, 'title') : undefined
  const named = pascal(String(literals?.[0] ?? (typeof title === 'string' ? title : '')))
  return named === '' ? `Variant${index + 1}` : named.slice(0, 40)
}

/** One way in which values are made, by their kinds and, among objects, by a tag. */
export interface Variant {
  readonly kinds: readonly Kind[]
  readonly conjuncts: readonly SchemaObject[]
  /** The part of the names of its functions. */
  readonly stem: string
  /** The definition that it is, where it is nothing else. */
  readonly reference?: string | undefined
}

/**
 * Returns the ways to make the values of schemas that all apply, with unions told apart; `undefined` where they cannot be.
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
 * Checks whether conditions or unions of schemas that all apply speak of fields that are not known.
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
