import type { Schema, SchemaObject } from '../schema/json-schema.js'
import type { Flat, Sides, Spot } from './flatten.js'
import type { PossibleFields } from './object-fields.js'
import type { Refusal, Taken } from './schema-view.js'

/** What the comparison of one kind of values needs of that of all others. */
export interface Prover {
  readonly sides: Sides
  /**
   * `known`: the taker refuses fields that no schema of its declares, as payload codecs do; `any`: it does not mind
   * further fields, as readers of a result do, but misses those that are gone.
   */
  readonly fields: 'known' | 'any'
  /** Takes steps; false where they are too many, and everything left is to be refused. */
  spend(steps: number): boolean
  /** The fields of objects that are taken. */
  fieldsOf(taken: Taken): PossibleFields
  /** Why not everything at one spot is taken at another. */
  refusals(taken: Spot, taker: Spot): readonly Refusal[]
  /**
   * What of the values does not fit schemas that apply together.
   *
   * @param maybe schemas that apply to some values besides; absent where it does not count which fields are declared
   */
  fit(taken: Taken, to: Flat, maybe?: readonly Schema[]): Fit
  /** Whether every one of the values fits a schema that stands at the same place, apart from fields that are unknown. */
  fits(taken: Taken, taker: Schema): boolean
}

/** What does not fit, and the schemas that are known to apply to what does. */
export interface Fit {
  readonly refusals: readonly Refusal[]
  readonly applying: readonly SchemaObject[]
}

/** How deep a comparison is at one moment, and how many steps were taken. */
export interface EffortSpent {
  readonly depth: number
  readonly steps: number
}

/** How deep spots are nested, and how many steps are taken before a comparison is given up. */
const limits: EffortSpent = { depth: 150, steps: 50_000 }

/** What one comparison has cost so far. */
export class Effort {
  #depth = 0
  #steps = 0

  get spent(): EffortSpent {
    return { depth: this.#depth, steps: this.#steps }
  }

  /** Whether the next spot is too much. */
  get isOver(): boolean {
    return this.#depth > limits.depth || this.#steps > limits.steps
  }

  /** Takes steps; false where they are too many. */
  spend(steps: number): boolean {
    this.#steps += steps
    return this.#steps <= limits.steps
  }

  enter(): void {
    this.#depth += 1
  }

  leave(): void {
    this.#depth -= 1
  }
}
