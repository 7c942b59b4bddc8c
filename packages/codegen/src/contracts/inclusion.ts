import { own, type Schema } from '../schema/json-schema.js'
import { annotations } from '../schema/keywords.js'
import { refName } from '../schema/references.js'
import { type Defs, type Flat, flatten, type Sides, type Spot, schemasIn, sidesOf, spotOf } from './flatten.js'
import { PossibleFields } from './object-fields.js'
import { fitOf } from './prove.js'
import { Effort, type EffortSpent, type Fit, type Prover } from './prover.js'
import { sameSchema } from './same-schema.js'
import { excludesAll, isDisjoint, possibleTypes } from './schema-facts.js'
import {
  below,
  casesOf,
  conditionalParts,
  distinct,
  type Refusal,
  type Taken,
  tooMuch,
  typeNames,
  typesOf,
  whole,
} from './schema-view.js'

/** What is compared, and how. */
interface InclusionOptions {
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
    const found = this.#compare(taken, taker)
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

/** Tells pairs of spots apart: by their definitions where they refer to some, by their variants where they are unions alone. */
class SpotNumbers {
  readonly #sides: Sides
  readonly #numbers = new Map<Schema, number>()

  constructor(sides: Sides) {
    this.#sides = sides
  }

  /** The same text for the same pair, as far as rules are meant. */
  pairOf(taken: Spot, taker: Spot): string {
    const sides = this.#sides
    return [
      ...[taken.all, taken.maybe, taken.instead].map((list) => this.#all(list, sides.taken)),
      ...[taker.all, taker.maybe].map((list) => this.#all(list, sides.taker)),
    ].join(';')
  }

  #all(schemas: readonly Schema[], defs: Defs): string {
    return schemas.map((schema) => this.#one(schema, defs)).join(',')
  }

  #one(schema: Schema, defs: Defs): string {
    if (typeof schema !== 'boolean') {
      const [keyword, ...others] = Object.keys(schema).filter((key) => !annotations.includes(key))
      const target = keyword === '$ref' ? own(defs, refName(own(schema, keyword)) ?? '') : undefined
      const parts = keyword === 'anyOf' || keyword === 'allOf' ? schemasIn(own(schema, keyword)) : undefined
      if (others.length === 0 && parts !== undefined) return `${keyword}(${this.#all(parts, defs)})`
      if (others.length === 0 && target !== undefined && target !== schema) return this.#number(target)
    }
    return this.#number(schema)
  }

  #number(schema: Schema): string {
    const number = this.#numbers.get(schema) ?? this.#numbers.size
    this.#numbers.set(schema, number)
    return String(number)
  }
}

/** A pair that the comparison of one tool met. */
interface Met {
  readonly found: readonly Refusal[]
  /** When it was met; 0 where it was given up. */
  readonly at: number
  /** Where it is as it would be had nothing been met before. */
  readonly outcome?: Outcome
}

/** A pair that is being compared. */
interface Frame {
  readonly pair: string
  readonly at: number
  readonly before: EffortSpent
  /** How much there was of each when it began. */
  readonly proven: number
  readonly learned: number
  /** The time of the earliest pair on which its outcome rests. */
  rests: number
  isGivenUp: boolean
}

/**
 * What is known of pairs of spots. A pair that is being compared is taken for proven: a part inside meets it again where a
 * definition contains itself. So what pairs come to may rest on others, and is good for one comparison alone; what rests
 * on nothing outside is good for all comparisons between the same definitions, and these find what the first one found.
 */
class ProofMemory {
  readonly #outcomes = new Map<string, Outcome>()
  #effort = new Effort()
  #met = new Map<string, Met>()
  /** The pairs taken for proven, in the order in which they were met. */
  #proven: string[] = []
  #learned: (Outcome | string)[] = []
  #frames: Frame[] = []
  #clock = 0

  /** Forgets what is good for one comparison alone. */
  start(effort: Effort): void {
    this.#effort = effort
    this.#met = new Map()
    this.#proven = []
    this.#learned = []
    this.#frames = []
    this.#clock = 0
  }

  /** What a pair came to, or is taken for; `undefined` where it must be compared. */
  recall(pair: string): readonly Refusal[] | undefined {
    const met = this.#met.get(pair)
    if (met !== undefined) {
      if (met.outcome === undefined || met.at === 0) this.#restOn(met.at)
      else this.#learned.push(met.outcome)
      return met.found
    }
    const outcome = this.#outcomes.get(pair)
    if (outcome === undefined || this.#mayComeFurther(outcome) || this.#metSomeOf(outcome)) return undefined
    this.#take(outcome)
    return outcome.found
  }

  /** From now on the pair is being compared. */
  begin(pair: string): void {
    this.#clock += 1
    const [at, before] = [this.#clock, this.#effort.spent]
    const [proven, learned] = [this.#proven.length, this.#learned.length]
    this.#frames.push({ pair, at, before, proven, learned, rests: Number.POSITIVE_INFINITY, isGivenUp: false })
    this.#proven.push(pair)
    this.#met.set(pair, { found: [], at })
  }

  /** What is being compared is given up. */
  giveUp(): void {
    const frame = this.#frames.at(-1)
    if (frame !== undefined) frame.isGivenUp = true
  }

  /** The pair that began last has been compared. */
  end(found: readonly Refusal[]): void {
    const frame = this.#frames.pop()
    if (frame === undefined) throw new RangeError('no pair is being compared')
    if (frame.isGivenUp) this.giveUp()
    // What was proven since may rest on this pair.
    if (found.length > 0) for (const each of this.#proven.splice(frame.proven)) this.#met.delete(each)
    if (frame.rests < frame.at) this.#keepHere(frame, found)
    else this.#keep(frame, found)
  }

  #keepHere({ pair, at, rests, isGivenUp }: Frame, found: readonly Refusal[]): void {
    this.#restOn(rests)
    this.#met.set(pair, { found, at: isGivenUp ? 0 : at })
    this.#learned.push(pair)
  }

  #keep(frame: Frame, found: readonly Refusal[]): void {
    const { pair, at, before, isGivenUp } = frame
    const inside = this.#learned.splice(frame.learned)
    const isPlain = inside.length === 0 && frame.rests === Number.POSITIVE_INFINITY
    const learned = inside.map((each) => {
      return typeof each === 'string' ? { pair: each, found: this.#met.get(each)?.found } : each
    })
    const outcome: Outcome = {
      pair,
      found,
      ...(!isPlain && { learned }),
      ...(isGivenUp && { givenUp: { before, steps: this.#effort.spent.steps - before.steps } }),
    }
    this.#outcomes.set(pair, outcome)
    if (isPlain) {
      this.#proven.length = frame.proven
      this.#met.delete(pair)
    } else {
      this.#learned.push(outcome)
      this.#met.set(pair, { found, at: isGivenUp ? 0 : at, outcome })
    }
  }

  #restOn(at: number): void {
    const frame = this.#frames.at(-1)
    if (frame !== undefined) frame.rests = Math.min(frame.rests, at)
  }

  #mayComeFurther({ givenUp }: Outcome): boolean {
    if (givenUp === undefined) return false
    const { depth, steps } = this.#effort.spent
    return depth < givenUp.before.depth || steps < givenUp.before.steps
  }

  /** Whether the outcome would be another because some of it is known here, or taken for proven. */
  #metSomeOf(outcome: Outcome): boolean {
    return partsOf(outcome).some(({ pair }) => this.#met.has(pair))
  }

  /** Learns all that was learned when the outcome was found. */
  #take(outcome: Outcome): void {
    const { givenUp, learned } = outcome
    if (givenUp !== undefined) {
      this.#effort.spend(givenUp.steps)
      this.giveUp()
    }
    if (learned === undefined) return
    this.#clock += 1
    const at = givenUp === undefined ? this.#clock : 0
    for (const part of partsOf(outcome)) {
      const { pair, found } = part
      if (found === undefined) continue
      if (found.length === 0) this.#proven.push(pair)
      this.#met.set(pair, { found, at, ...(isOutcome(part) && { outcome: part }) })
    }
    this.#learned.push(outcome)
  }
}

/** What a pair of spots came to, whoever asks first. */
interface Outcome {
  readonly pair: string
  readonly found: readonly Refusal[]
  /** What was learned on the way that holds beside it alone; absent where no definition contains itself. */
  readonly learned?: readonly (Outcome | Learned)[]
  /** What was spent before and on it, where it was given up: who has more left may come further. */
  readonly givenUp?: { readonly before: EffortSpent; readonly steps: number }
}

/** What a pair came to while others were taken for proven; nothing where that was withdrawn. */
interface Learned {
  readonly pair: string
  readonly found: readonly Refusal[] | undefined
}

/** Whether a part was decided by nothing but its pair. */
function isOutcome(part: Outcome | Learned): part is Outcome {
  return part.found !== undefined && 'learned' in part
}

/** An outcome with all that was learned on the way to it, each once. */
function partsOf(outcome: Outcome): readonly (Outcome | Learned)[] {
  const parts = new Set<Outcome | Learned>([outcome])
  for (const part of parts) {
    if (isOutcome(part)) for (const inner of part.learned ?? []) parts.add(inner)
  }
  return [...parts]
}
