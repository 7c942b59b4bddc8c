import type { Installed } from '../../installed/load-installed.js'
import { type Inclusion, inclusionOf } from '../inclusion/inclusion.js'
import type { Prover } from '../inclusion/prover.js'
import type { Defs } from '../inclusion/spot.js'
import { Judges } from '../witness/judges.js'
import { type Refused, type Shown, withWitnesses } from '../witness/witness.js'

/** How schemas of before and of now are compared that refer to the same definitions. */
export interface Comparisons {
  /** Of values of before, which may not be taken now. */
  readonly narrowed: Comparison
  /** Of values of now, which may not have been taken before. */
  readonly widened: Comparison
}

/** How schemas whose values are taken are compared with those that are to take them. */
export interface Comparison {
  /** Why not every value is taken. */
  readonly refusals: Inclusion
  /** What is told of that, with values that show it. */
  readonly show: (refused: Refused) => readonly Shown[]
}

/**
 * Compares schemas in both directions.
 *
 * @param makeCodec makes the codecs that judge the values which show something; absent: nothing is shown
 */
export function comparisonsOf(
  was: Defs,
  is: Defs,
  fields: Prover['fields'],
  makeCodec: Installed | undefined,
): Comparisons {
  const judges = makeCodec && { was: new Judges(was, makeCodec), is: new Judges(is, makeCodec) }
  const show = (taken: Judges | undefined, taker: Judges | undefined): Comparison['show'] =>
    taken === undefined || taker === undefined
      ? ({ told }) => told
      : (refused) => withWitnesses(refused, { taken, taker, fields })
  return {
    narrowed: { refusals: inclusionOf({ taken: was, taker: is, fields }), show: show(judges?.was, judges?.is) },
    widened: { refusals: inclusionOf({ taken: is, taker: was, fields }), show: show(judges?.is, judges?.was) },
  }
}
