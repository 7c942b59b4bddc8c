import { deepEqual } from '@toolgen/runtime/schema'
import { isObject, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { knownBySchema } from '../schema/keywords.js'
import { pascal } from '../text.js'
import { conjunctsOf, type Defs, subschemas } from './conjuncts.js'
import { literalsOf, overlap, reachableKinds } from './kinds.js'

/** A union of a schema: a value satisfies one of its variants, or exactly one. */
export interface Union {
  readonly variants: readonly Schema[]
  readonly isExclusive: boolean
}

/** The unions of schemas which all apply. */
export function unionsOf(conjuncts: readonly SchemaObject[]): readonly Union[] {
  return conjuncts.flatMap((conjunct) => [
    ...unionOf(subschemas(conjunct, 'anyOf'), false),
    ...unionOf(subschemas(conjunct, 'oneOf'), true),
  ])
}

/** The same schemas without one of their unions. */
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

/** Whether no value satisfies two of the variants. */
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

/** The literals of the fields that every object of a schema has. */
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

/** What tells a variant's functions from those of the others. */
export function variantStem(index: number, variants: readonly Schema[], defs: Defs): string {
  const variant = variants[index] ?? true
  const literals = discriminatorOf(variants, defs)?.literals[index]
  const title = isObject(variant) ? own(variant, 'title') : undefined
  const named = pascal(String(literals?.[0] ?? (typeof title === 'string' ? title : '')))
  return named === '' ? `Variant${index + 1}` : named.slice(0, 40)
}
