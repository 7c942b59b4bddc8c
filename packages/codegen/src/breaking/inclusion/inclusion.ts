import type { Schema } from '../../schema/json/json-schema.js'
import { SlowPatternError } from '../../schema/values/slow-pattern-error.js'
import { casesOf, conditionalParts } from './cases.js'
import { isDisjoint } from './disjoint.js'
import { Effort } from './effort.js'
import { fitOf } from './fit.js'
import { type Flat, flatten } from './flatten.js'
import { typeNames, typesOf } from './json-types.js'
import { PossibleFields } from './object-fields.js'
import { excludesAll, possibleTypes } from './possible.js'
import { ProofMemory } from './proof-memory.js'
import type { Fit, Prover } from './prover.js'
import { below, distinct, type Refusal, tooMuch, whole } from './refusal.js'
import { sameSchema } from './same-schema.js'
import { type Defs, type Sides, type Spot, sidesOf, spotOf } from './spot.js'
import { SpotNumbers } from './spot-numbers.js'
import type { Taken } from './taken.js'

/** What is compared, and how. */
export interface InclusionOptions {
  /** The definitions to which the schemas refer whose values are taken. */
  readonly taken: Defs
  /** The definitions to which the schemas refer that are to take them. */
  readonly taker: Defs
  readonly fields: Prover['fields']
}

/**
 * Why a schema does not take every value that another one takes: nothing only where it is proven that it does. The proof
 * follows the values downwards, so that definitions that contain themselves come to an end.
 */
export type Inclusion = (taken: Schema, taker: Schema) => readonly Refusal[]

/** Compares schemas that refer to the same definitions: what is found of definitions is found once for all of them. */
export function inclusionOf({ taken, taker, fields }: InclusionOptions): Inclusion {
  const proof = new Proof(sidesOf(taken, taker), fields)
  return (from, to) => proof.start().refusals(spotOf(from), spotOf(to))
}

/** Compares two schemas, and no others. */
export function refusals(taken: Schema, taker: Schema, options: InclusionOptions): readonly Refusal[] {
  return inclusionOf(options)(taken, taker)
}

/** How much is told of one spot. */
const most = 100

class Proof implements Prover {
  readonly sides: Sides
  readonly fields: Prover['fields']
  readonly #takenSides: Sides
  readonly #numbers: SpotNumbers
  readonly #memory = new ProofMemory()
  readonly #fields = new WeakMap<Taken, PossibleFields>()
  #effort = new Effort()

  constructor(sides: Sides, fields: Prover['fields']) {
    this.sides = sides
    this.fields = fields
    this.#takenSides = sidesOf(sides.taken, sides.taken)
    this.#numbers = new SpotNumbers(sides)
  }

  /** Two other schemas are compared from now on. */
  start(): this {
    this.#effort = new Effort()
    this.#memory.start(this.#effort)
    return this
  }

  refusals(taken: Spot, taker: Spot): readonly Refusal[] {
    const pair = this.#numbers.pairOf(taken, taker)
    const known = this.#memory.recall(pair)
    if (known !== undefined) return known
    if (this.#isSame(taken, taker)) return []
    if (this.#effort.isOver) {
      this.#memory.giveUp()
      return [tooMuch]
    }
    this.#memory.begin(pair)
    this.#effort.enter()
    const found = this.#compareInTime(taken, taker)
    this.#effort.leave()
    this.#memory.end(found)
    return found
  }

  spend(steps: number): boolean {
    const isLeft = this.#effort.spend(steps)
    if (!isLeft) this.#memory.giveUp()
    return isLeft
  }

  fieldsOf(taken: Taken): PossibleFields {
    const made = this.#fields.get(taken) ?? new PossibleFields(taken, this.sides.taken)
    this.#fields.set(taken, made)
    return made
  }

  fit(taken: Taken, to: Flat, maybe?: readonly Schema[]): Fit {
    return fitOf(taken, to, maybe, this)
  }

  fits(taken: Taken, taker: Schema): boolean {
    const flat = flatten([taker], this.sides.taker)
    return flat !== undefined && this.fit(taken, flat).refusals.length === 0
  }

  #isSame(taken: Spot, taker: Spot): boolean {
    return (
      taken.all.length === taker.all.length &&
      [...taken.maybe, ...taken.instead, ...taker.maybe].length === 0 &&
      taken.all.every((schema, index) => sameSchema(schema, taker.all[index] ?? false, this.sides))
    )
  }

  /** Which fields there are may hang on a pattern that nobody can try in time. */
  #compareInTime(taken: Spot, taker: Spot): readonly Refusal[] {
    try {
      return this.#compare(taken, taker)
    } catch (error) {
      if (error instanceof SlowPatternError) return [tooMuch]
      throw error
    }
  }

  #compare(taken: Spot, taker: Spot): readonly Refusal[] {
    const from = flatten(taken.all, this.sides.taken)
    if (from === undefined) return []
    const to = flatten(taker.all, this.sides.taker)
    if (to === undefined) return [whole('type', typeNames(typesOf(from.plain)), [])]
    const found = casesOf(from, this.sides.taken).flatMap((each) => {
      if (each.excluded.some(excludesAll) || possibleTypes(each.plain, this.sides.taken).length === 0) return []
      if (!this.spend(each.others.length)) return [tooMuch]
      const besides = each.others.filter((other) => !isDisjoint(each, other, this.#takenSides))
      const values: Taken = {
        plain: each.plain,
        excluded: each.excluded,
        maybe: [...taken.maybe, ...conditionalParts(each.plain)],
        instead: [...taken.instead, ...besides],
      }
      return below(each.pointer, this.#oneCase(values, to, taker.maybe))
    })
    return distinct(found).slice(0, most)
  }

  #oneCase(taken: Taken, to: Flat, maybe: readonly Schema[]): readonly Refusal[] {
    // Kinds of values are looked at one by one where each may fit another variant.
    const kinds = typeNames(possibleTypes(taken.plain, this.sides.taken))
    const parts = to.unions.length > 0 && kinds.length > 1 ? kinds.map((type) => ({ type })) : [undefined]
    return parts.flatMap((part) => {
      const values = part === undefined ? taken : { ...taken, plain: [...taken.plain, part] }
      return this.fit(values, to, maybe).refusals
    })
  }
}
