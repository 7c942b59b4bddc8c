import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import type { Flat } from './flatten.js'
import type { PossibleFields } from './object-fields.js'
import type { Refusal } from './refusal.js'
import type { Sides, Spot } from './spot.js'
import type { Taken } from './taken.js'

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
