import { type Defs, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { refName } from '../schema/references.js'
import { conditionalParts, schemasAt, schemasOf } from './schema-parts.js'

export interface Union {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly variants: readonly Schema[]
}

export interface FlatSchema {
  /** Callers must ignore `$ref`, `allOf`, `anyOf` and `oneOf` in these schemas, because `plain` and `unions` already contain the subschemas. */
  readonly plain: readonly SchemaObject[]
  readonly unions: readonly Union[]
}

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

/** Values of a schema that match one selected variant of each union: the strings of `string | null`, for example. */
export interface Case {
  readonly plain: readonly SchemaObject[]
  readonly excluded: readonly Schema[]
  /** Variants of unions that values of this case can match in addition to the selected variants. */
  readonly others: readonly Schema[]
  readonly pointer: string
}

const maxCases = 2000

/** Every value belongs to at least one case. */
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

export interface Step {
  readonly keyword: string
  readonly name?: string
}

interface Combination {
  readonly plain: readonly SchemaObject[]
  readonly chosen: readonly { readonly union: Union; readonly index: number }[]
  readonly steps: readonly Step[]
}

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

/** A codec treats a field as declared if at least one of these schemas declares the field. */
export interface Constraints {
  readonly all: readonly Schema[]
  /** Apply to some values only, such as the `then` of a condition. */
  readonly conditional: readonly Schema[]
  readonly alternatives: readonly Schema[]
}

export interface SourceValues extends Omit<Constraints, 'all'> {
  readonly plain: readonly SchemaObject[]
  readonly excluded: readonly Schema[]
}

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
