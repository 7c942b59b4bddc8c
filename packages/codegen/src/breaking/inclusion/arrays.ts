import { own } from '../../schema/json/json.js'
import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { everythingIn } from './declared-fields.js'
import { numbersOf, schemaAt, schemasIn } from './flatten.js'
import type { Prover } from './prover.js'
import { below, type Refusal } from './refusal.js'
import { sameSchema } from './same-schema.js'
import type { Spot } from './spot.js'
import type { Taken } from './taken.js'
import { type Lengths, largest, refusedLengths, smallest } from './texts.js'

/** The schemas of an array that is to take others. */
export interface TakerArrays {
  readonly plain: readonly SchemaObject[]
  readonly maybe: readonly Schema[]
}

/** Arrays that are taken and refused: by their lengths, by their items, and by rules for all of their items. */
export function refusedArrays(taken: Taken, taker: TakerArrays, prover: Prover): readonly Refusal[] {
  const [lengths, others] = [lengthsOf(taken.plain), lengthsOf(taker.plain)]
  if (lengths.least > lengths.most) return []
  return [
    ...refusedLengths(lengths, others),
    ...taker.plain.flatMap((schema) => brokenRules(taken.plain, lengths, schema, prover)),
    // Items that there are on one side alone are a matter of the length.
    ...refusedItems(taken, Math.min(lengths.most, others.most), taker, prover),
  ]
}

function lengthsOf(plain: readonly SchemaObject[]): Lengths {
  const tuples = plain.flatMap((schema) =>
    own(schema, 'items') === false ? [(schemasIn(own(schema, 'prefixItems')) ?? []).length] : [],
  )
  return { least: largest(plain, 'minItems'), most: Math.min(smallest(plain, 'maxItems'), ...tuples) }
}

function brokenRules(
  taken: readonly SchemaObject[],
  { most }: Lengths,
  taker: SchemaObject,
  { sides }: Prover,
): readonly Refusal[] {
  const rule = (keyword: string): Refusal => ({
    aspect: 'rule',
    pointer: `/${keyword}`,
    taken: taken.map((schema) => own(schema, keyword)).find((value) => value !== undefined),
    taker: own(taker, keyword),
  })
  const isUnique = taken.some((schema) => own(schema, 'uniqueItems') === true) || most <= 1
  const wanted = schemaAt(taker, 'contains')
  const hasWanted =
    wanted === undefined ||
    taken.some((schema) => {
      const known = schemaAt(schema, 'contains')
      if (known === undefined || !sameSchema(known, wanted, sides)) return false
      const [has, wants] = [counts(schema), counts(taker)]
      return has.least >= wants.least && has.most <= wants.most
    })
  const isSame = taken.some((schema) => sameSchema(schema, taker, sides))
  return [
    ...(own(taker, 'uniqueItems') === true && !isUnique ? [rule('uniqueItems')] : []),
    ...(hasWanted ? [] : [rule('contains')]),
    ...(Object.hasOwn(taker, 'unevaluatedItems') && !isSame ? [rule('unevaluatedItems')] : []),
  ]
}

function counts(schema: SchemaObject): Lengths {
  return {
    least: numbersOf([schema], 'minContains')[0] ?? 1,
    most: numbersOf([schema], 'maxContains')[0] ?? Number.POSITIVE_INFINITY,
  }
}

function refusedItems(taken: Taken, most: number, taker: TakerArrays, prover: Prover): readonly Refusal[] {
  const { sides } = prover
  const first = Math.max(...[...taken.plain, ...taker.plain].map(prefixOf))
  const [maybe, instead] = [everythingIn(taken.maybe, sides.taken), everythingIn(taken.instead, sides.taken)]
  const closers = everythingIn(taker.maybe, sides.taker)
  return Array.from({ length: first + 1 }, (_, index) => index)
    .filter((index) => index < most)
    .flatMap((index) => {
      const from: Spot = {
        all: itemAt(taken.plain, index),
        maybe: [...itemAt(maybe, index), ...sometimes([...taken.plain, ...maybe, ...instead])],
        instead: itemAt(instead, index),
      }
      const to: Spot = {
        all: itemAt(taker.plain, index),
        maybe: [...itemAt(closers, index), ...sometimes([...taker.plain, ...closers])],
        instead: [],
      }
      if (to.all.length === 0 && to.maybe.length === 0) return []
      return below(index < first ? `/prefixItems/${index}` : '/items', prover.refusals(from, to))
    })
}

function prefixOf(schema: SchemaObject): number {
  return (schemasIn(own(schema, 'prefixItems')) ?? []).length
}

function itemAt(plain: readonly SchemaObject[], index: number): readonly Schema[] {
  return plain.flatMap((schema) => {
    const item = (schemasIn(own(schema, 'prefixItems')) ?? [])[index] ?? schemaAt(schema, 'items')
    return item === undefined ? [] : [item]
  })
}

/** The schemas that apply to some items. */
function sometimes(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) =>
    ['contains', 'unevaluatedItems'].flatMap((keyword) => {
      const part = schemaAt(schema, keyword)
      return part === undefined ? [] : [part]
    }),
  )
}
