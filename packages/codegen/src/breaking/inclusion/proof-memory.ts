import { Effort, type EffortSpent } from './effort.js'
import { isOutcome, type Outcome, partsOf } from './outcome.js'
import type { Refusal } from './refusal.js'

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
export class ProofMemory {
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
