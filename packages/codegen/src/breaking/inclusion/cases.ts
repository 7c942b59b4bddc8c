import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { type Flat, flatten, schemaAt, schemaMap, type Union } from './flatten.js'
import type { Defs } from './spot.js'

/** Values that fit one variant of every union that applies to them. */
export interface Case {
  readonly plain: readonly SchemaObject[]
  /** Schemas that the values do not fit. */
  readonly excluded: readonly Schema[]
  /** Variants that they may fit besides. */
  readonly others: readonly Schema[]
  /** Where the variants stand. */
  readonly pointer: string
}

/** Unions with more combinations of variants are not taken apart. */
const most = 2000

/** Takes unions apart: every value fits one of the cases at least. */
export function casesOf(flat: Flat, defs: Defs): readonly Case[] {
  const base: Case = { plain: flat.plain, excluded: excludedBy(flat.plain), others: [], pointer: '' }
  const cases = expand(base, flat.unions, defs)
  return cases ?? [{ ...base, others: flat.unions.flatMap(({ variants }) => variants) }]
}

function expand(base: Case, unions: readonly Union[], defs: Defs): readonly Case[] | undefined {
  const [union, ...rest] = unions
  if (union === undefined) return [base]
  const cases: Case[] = []
  for (const [index, variant] of union.variants.entries()) {
    const flat = flatten([variant], defs)
    if (flat === undefined) continue
    const others = union.variants.filter((_, other) => other !== index)
    const chosen: Case = {
      plain: [...base.plain, ...flat.plain.filter((schema) => !base.plain.includes(schema))],
      excluded: [
        ...base.excluded,
        ...excludedBy(flat.plain),
        // Each fits one variant of `oneOf` alone.
        ...(union.keyword === 'oneOf' ? others : []),
      ],
      others: union.keyword === 'anyOf' ? [...base.others, ...others] : base.others,
      pointer: `${base.pointer}/${union.keyword}/${index}`,
    }
    const inner = expand(chosen, [...flat.unions, ...rest], defs)
    if (inner === undefined || cases.length + inner.length > most) return undefined
    cases.push(...inner)
  }
  return cases
}

function excludedBy(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => {
    const excluded = schemaAt(schema, 'not')
    return excluded === undefined ? [] : [excluded]
  })
}

/** The schemas that apply to some of the values of others, at the same place: those of conditions and dependencies. */
export function conditionalParts(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => [
    ...['if', 'then', 'else'].flatMap((keyword): readonly Schema[] => {
      const part = schemaAt(schema, keyword)
      return part === undefined ? [] : [part]
    }),
    ...schemaMap(schema, 'dependentSchemas').map(([, part]) => part),
  ])
}
