import type { Installed } from '../../installed/load-installed.js'
import type { Json, Schema } from '../../schema/json/json-schema.js'
import { inTime } from '../../time/in-time.js'
import type { InclusionOptions } from '../inclusion/inclusion.js'
import type { Refusal } from '../inclusion/refusal.js'
import { PairSearch } from './pair-search.js'

/** A refusal with what shows it. */
export interface Shown extends Refusal {
  /**
   * A value that the one schema takes and the other does not, by the codecs of both, or whose field the other one does not
   * hand on; absent where none was found.
   */
  readonly witness?: Json
}

/** Looks for the witnesses of what one schema refuses of another's values. */
export type Witnesses = (taken: Schema, taker: Schema, refusals: readonly Refusal[]) => readonly Shown[]

/**
 * Looks for witnesses among guesses, of which the codecs of the installed runtime say what they are.
 *
 * @param makeCodec `payloadCodec` or `resultCodec`
 */
export function witnessesOf(options: InclusionOptions, makeCodec: Installed): Witnesses {
  return (taken, taker, refusals) => {
    if (refusals.length === 0) return refusals
    const search = new PairSearch(taken, taker, options, makeCodec)
    let isSlow = false
    return refusals.map((refusal) => {
      const tried = isSlow ? undefined : inTime(() => search.witnessOf(refusal, refusals))
      // Patterns of theirs take too long: what a codec did when it was stopped nobody knows.
      isSlow ||= tried?.isDone === false
      const witness = tried?.isDone === true ? tried.value : undefined
      return witness === undefined ? refusal : { ...refusal, witness }
    })
  }
}
