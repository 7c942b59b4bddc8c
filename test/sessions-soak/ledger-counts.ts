/** Counts of the sessions of killed processes. */
export interface LedgerCounts {
  calls: number
  acknowledged: number
  /** Number of calls that were stored, but not acknowledged before the process was killed. */
  storedUnanswered: number
  takes: number
  /** Number of consumed entries. */
  given: number
  opened: number
  closed: number
  /** Number of requests of other users for a session. */
  strangers: number
  /** Number of takes that were running when the process was killed. */
  takesUnderWay: number
  /** Number of entries of these takes, and number of those that were no longer in the session. */
  entriesUnderWay: number
  entriesUnknown: number
  /** Number of calls by outcome. */
  readonly ends: Map<string, number>
}

export function noCounts(): LedgerCounts {
  return {
    calls: 0,
    acknowledged: 0,
    storedUnanswered: 0,
    takes: 0,
    given: 0,
    opened: 0,
    closed: 0,
    strangers: 0,
    takesUnderWay: 0,
    entriesUnderWay: 0,
    entriesUnknown: 0,
    ends: new Map(),
  }
}
