import type { SchemaFacts } from '@toolgen/runtime/schema'
import { type Defs, isObject, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { pascal } from '../text.js'
import { allKinds, type Kind, kindsOf } from './kinds.js'
import { hasDeclaredParts } from './nested-schemas.js'
import { conjunctsOf, factsOf, plainReference, subschemas } from './schema-reading.js'

export interface Union {
  readonly variants: readonly Schema[]
  readonly isExclusive: boolean
}

export function unionsOf(conjuncts: readonly SchemaObject[]): readonly Union[] {
  return conjuncts.flatMap((conjunct) => [
    ...unionOf(subschemas(conjunct, 'anyOf'), false),
    ...unionOf(subschemas(conjunct, 'oneOf'), true),
  ])
}

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

export function areDisjoint(variants: readonly Schema[], defs: Defs): boolean {
  const { facts, locate } = factsOf(defs)
  return facts.areDisjoint(variants.map(locate))
}

export function discriminatorOf(variants: readonly Schema[], defs: Defs): ReturnType<SchemaFacts['discriminator']> {
  const { facts, locate } = factsOf(defs)
  return facts.discriminator(variants.map(locate))
}

function unionOf(variants: readonly Schema[], isExclusive: boolean): readonly Union[] {
  return variants.length === 0 ? [] : [{ variants, isExclusive }]
}

export function variantStem(index: number, variants: readonly Schema[], defs: Defs): string {
  const variant = variants[index] ?? true
  const literals = discriminatorOf(variants, defs)?.literals[index]
  const title = isObject(variant) ? own(variant, 'title') : undefined
  const named = pascal(String(literals?.[0] ?? (typeof title === 'string' ? title : '')))
  return named === '' ? `Variant${index + 1}` : named.slice(0, 40)
}

export interface Variant {
  readonly kinds: readonly Kind[]
  readonly conjuncts: readonly SchemaObject[]
  readonly stem: string
  readonly reference?: string | undefined
}

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
    const { facts, locate } = factsOf(defs)
    const { kinds } = facts.allowed(locate({ allOf: [...own, variant] }))
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
