import type { Json, Schema } from '../../schema/json/json-schema.js'
import { SlowPatternError } from '../../schema/values/slow-pattern-error.js'
import type { Prover } from '../inclusion/prover.js'
import type { Refusal } from '../inclusion/refusal.js'
import type { Judges } from './judges.js'
import { type Place, placeOf, shows } from './places.js'
import { type Step, stepsOf } from './pointer-steps.js'
import type { ValueJudge } from './value-judge.js'
import { ValueMaker } from './value-maker.js'

/** How many values are tried for one refusal. */
const mostTried = 150

/** Who judges values of both sides. */
export interface SearchOptions {
  readonly taken: Judges
  readonly taker: Judges
  readonly fields: Prover['fields']
}

/** Looks for values that a schema takes and another one does not. */
export class PairSearch {
  readonly #taken: Schema
  readonly #taker: Schema
  readonly #options: SearchOptions
  /** Takes what the contract has, and no fields beside it. */
  readonly #takes: ValueJudge
  /** Reads it: results lose the fields that nobody declares. */
  readonly #reads: ValueJudge
  readonly #wants: ValueJudge

  constructor(taken: Schema, taker: Schema, options: SearchOptions) {
    this.#taken = taken
    this.#taker = taker
    this.#options = options
    // Codecs of payloads refuse them anyway.
    this.#reads = options.taken.of(taken)
    this.#takes = options.fields === 'known' ? this.#reads : options.taken.of(taken, 'reject')
    this.#wants = options.taker.of(taker)
  }

  /** Whether a search may take without end. */
  get mayBeSlow(): boolean {
    return this.#takes.mayBeSlow || this.#wants.mayBeSlow
  }

  /** A value that shows one of the refusals; `undefined` where none is found. */
  witnessOf(refusal: Refusal, all: readonly Refusal[]): Json | undefined {
    const steps = stepsOf(refusal.pointer)
    const found = firstOf(this.#values(steps), (value) => this.#isRefused(value, refusal, all))
    // Null is a value, too.
    if (found !== undefined || this.#options.fields === 'known' || refusal.aspect !== 'field') return found
    return this.#gone(steps, placeOf(refusal))
  }

  #values(steps: readonly Step[]): Iterable<Json> {
    const { taken, taker } = this.#options
    return new ValueMaker(taken.defs, taken.samples, taker.defs).values([this.#taken], [this.#taker], steps)
  }

  #isRefused(value: Json, refusal: Refusal, all: readonly Refusal[]): boolean {
    const wanted = this.#wants.judge(value)
    if (wanted.kind !== 'refused') return false
    // Who reads a result does not mind further fields.
    const isMinded = (constraint: string): boolean => this.#options.fields === 'known' || constraint !== 'unknown_field'
    const isShown = wanted.faults.some((fault) => isMinded(fault.constraint) && shows(fault, refusal, all))
    return isShown && this.#takes.judge(value).kind === 'taken'
  }

  /** A value with a field that readers found in it, and that does not reach them any more where it is given. */
  #gone(steps: readonly Step[], place: Place): Json | undefined {
    const { taken, taker } = this.#options
    const isLost = firstOf(this.#values(steps), (value) => {
      const read = this.#reads.judge(value)
      return hasAt(value, place) && read.kind === 'taken' && !hasAt(read.value, place)
    })
    if (isLost === undefined) return undefined
    // The variants to which the pointer leads are those of the other schema.
    const inner = steps.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf')
    return firstOf(
      new ValueMaker(taker.defs, taker.samples, taken.defs).values([this.#taker], [this.#taken], inner),
      (value) => {
        const wanted = this.#wants.judge(value)
        return wanted.kind === 'taken' && hasAt(wanted.value, place)
      },
    )
  }
}

function hasAt(value: unknown, [step, ...rest]: Place): boolean {
  if (typeof value !== 'object' || value === null) return false
  const inner = step === undefined ? Object.values(value) : Object.hasOwn(value, step) ? [Reflect.get(value, step)] : []
  return inner.some((part) => rest.length === 0 || hasAt(part, rest))
}

/** The first of some guesses that is what is looked for; nobody knows it where a pattern takes too long to try. */
function firstOf(values: Iterable<Json>, isFound: (value: Json) => boolean): Json | undefined {
  let left = mostTried
  try {
    for (const value of values) {
      if (isFound(value)) return value
      left -= 1
      if (left === 0) return undefined
    }
  } catch (error) {
    if (!(error instanceof SlowPatternError)) throw error
  }
  return undefined
}
