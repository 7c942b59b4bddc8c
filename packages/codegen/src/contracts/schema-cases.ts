import { type Defs, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { refName } from '../schema/references.js'
import { conditionalParts, schemasAt, schemasOf } from './schema-parts.js'

export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly variants: readonly Schema[]
}

/** Schemas that all apply to the same value. Their references and `allOf` are resolved. */
export interface FlatSchema {
  /**
   * Schemas whose references and unions are already resolved. Code that reads them must ignore their `$ref`, `allOf`, `anyOf` and `oneOf`.
   */
  readonly plain: readonly SchemaObject[]
  readonly unions: readonly Union[]
}

/** Flattens schemas that all apply to the same value: follows references and `allOf`. Returns `undefined` if no value matches. */
export function flatten(schemas: readonly Schema[], defs: Defs): FlatSchema | undefined {
  const plain: SchemaObject[] = []
  const unions: Union[] = []
  const visit = (schema: Schema): boolean => {
    if (typeof schema === 'boolean') return schema
    if (plain.includes(schema)) return true
    plain.push(schema)
    for (const keyword of ['anyOf', 'oneOf'] as const) {
      const variants = schemasAt(schema, keyword)
      if (variants !== undefined) unions.push({ keyword, variants })
    }
    const name = refName(own(schema, '$ref'))
    const target = name === undefined ? undefined : own(defs, name)
    return (target === undefined || visit(target)) && (schemasAt(schema, 'allOf') ?? []).every(visit)
  }
  return schemas.every(visit) ? { plain, unions } : undefined
}

/** The values of a schema that match one chosen variant of each union. */
export interface Case {
  readonly plain: readonly SchemaObject[]
  /** Schemas that no value of this case matches. */
  readonly excluded: readonly Schema[]
  /** Variants that the values of this case may match in addition to the chosen variants. */
  readonly others: readonly Schema[]
  readonly pointer: string
}

const maxCases = 2000

/** Divides the values of a schema into cases by the variants of its unions. Every value belongs to at least one case. */
export function casesOf({ plain, unions }: FlatSchema, defs: Defs): readonly Case[] {
  const othersOf = (chosen: Combination['chosen'], keyword: Union['keyword']): readonly Schema[] =>
    chosen
      .filter(({ union }) => union.keyword === keyword)
      .flatMap(({ union, index }) => union.variants.filter((_, other) => other !== index))
  const cases: Case[] = []
  for (const combination of combinationsOf({ plain, chosen: [], steps: [] }, unions, defs)) {
    if (cases.length === maxCases) {
      const others = unions.flatMap(({ variants }) => variants)
      return [{ plain, excluded: schemasOf(plain, 'not'), others, pointer: '' }]
    }
    const { chosen } = combination
    cases.push({
      plain: combination.plain,
      excluded: [...schemasOf(combination.plain, 'not'), ...othersOf(chosen, 'oneOf')],
      others: othersOf(chosen, 'anyOf'),
      pointer: chosen.map(({ union, index }) => `/${union.keyword}/${index}`).join(''),
    })
  }
  return cases
}

/** A step into a schema: to a part of the value, to a variant of a union, or to a subschema for the same value. */
export interface Step {
  readonly keyword: string
  /** Name of the field, pattern of field names, or index of the item or variant. */
  readonly name?: string
}

interface Combination {
  readonly plain: readonly SchemaObject[]
  readonly chosen: readonly { readonly union: Union; readonly index: number }[]
  readonly steps: readonly Step[]
}

/** Yields the combinations that have one variant of each union. Omits combinations that contradict a step of `base`. */
export function* combinationsOf(
  base: Combination,
  unions: readonly Union[],
  defs: Defs,
): Generator<Combination, void, undefined> {
  const [union, ...rest] = unions
  if (union === undefined) {
    yield base
    return
  }
  const [step, ...left] = base.steps
  const isChosen = step?.keyword === union.keyword
  for (const [index, variant] of union.variants.entries()) {
    const flat = isChosen && index !== Number(step.name) ? undefined : flatten([variant], defs)
    if (flat === undefined) continue
    const plain = [...base.plain, ...flat.plain.filter((schema) => !base.plain.includes(schema))]
    const chosen = [...base.chosen, { union, index }]
    yield* combinationsOf({ plain, chosen, steps: isChosen ? left : base.steps }, [...flat.unions, ...rest], defs)
  }
}

/** Schemas that apply to one part of a value. Codecs that reject unknown fields accept a field if one of these schemas declares it. */
export interface Constraints {
  readonly all: readonly Schema[]
  /** Schemas that apply to some of the values only, such as the `then` of a condition. */
  readonly conditional: readonly Schema[]
  /** Other variants of a union that some of the values may match too, although they do not have to. */
  readonly alternatives: readonly Schema[]
}

/** The values of one {@link Case}, with other schemas that may apply to some of them. */
export interface SourceValues extends Omit<Constraints, 'all'> {
  readonly plain: readonly SchemaObject[]
  readonly excluded: readonly Schema[]
}

/** Returns every schema that may apply to a value of `schemas`: these schemas, and the variants and conditions inside them. */
export function everythingIn(schemas: readonly Schema[], defs: Defs): readonly SchemaObject[] {
  const found = new Set<SchemaObject>()
  const pending = [...schemas]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const flat = flatten([next], defs)
    for (const schema of flat?.plain ?? []) {
      if (found.has(schema)) continue
      found.add(schema)
      pending.push(...conditionalParts([schema]))
    }
    for (const { variants } of flat?.unions ?? [])
      pending.push(...variants.filter((variant) => typeof variant === 'boolean' || !found.has(variant)))
  }
  return [...found]
}
