import type { Schema } from '../../schema/json/json-schema.js'
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
  /** The fields of objects that are taken. */
  fieldsOf(taken: Taken): PossibleFields
  /** Why not everything at one spot is taken at another. */
  refusals(taken: Spot, taker: Spot): readonly Refusal[]
  /** Whether every one of the values fits a schema that stands at the same place, apart from fields that are unknown. */
  fits(taken: Taken, taker: Schema): boolean
}
