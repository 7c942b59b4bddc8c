import type { Json, Schema } from '../../schema/json/json-schema.js'
import { type InTime, inTime } from '../../time/in-time.js'
import type { Refusal } from '../inclusion/refusal.js'
import { PairSearch, type SearchOptions } from './pair-search.js'

/** A refusal with what shows it. */
export interface Shown extends Refusal {
  /**
   * A value that the one schema takes and the other does not, by the codecs of both, or whose field the other one does not
   * hand on; absent where none was found.
   */
  readonly witness?: Json
}

/** What one schema refuses of another's values. */
export interface Refused {
  readonly taken: Schema
  readonly taker: Schema
  /** Everything that is refused: what shows one thing must not be about another. */
  readonly all: readonly Refusal[]
  /** What of it is told. */
  readonly told: readonly Refusal[]
}

/** Looks for witnesses of what is told, among guesses of which the codecs of both sides say what they are. */
export function withWitnesses({ taken, taker, all, told }: Refused, options: SearchOptions): readonly Shown[] {
  if (told.length === 0) return told
  const search = new PairSearch(taken, taker, options)
  let isStopped = false
  return told.map((refusal) => {
    // After patterns that take too long nobody knows what state the codecs are in.
    const tried = isStopped ? undefined : tryIn(search, () => search.witnessOf(refusal, all))
    isStopped ||= tried?.isDone === false
    const witness = tried?.isDone === true ? tried.value : undefined
    return witness === undefined ? refusal : { ...refusal, witness }
  })
}

/** To limit the time takes longer than most searches. */
function tryIn<T>({ mayBeSlow }: PairSearch, work: () => T): InTime<T> {
  return mayBeSlow ? inTime(work) : { isDone: true, value: work() }
}
