/** What sessions of killed processes were seen to do. */
export interface LedgerCounts {
  calls: number
  acknowledged: number
  /** Calls that were stored and whose acknowledgement nobody got before the process was killed. */
  storedUnanswered: number
  takes: number
  /** Entries that were given out. */
  given: number
  opened: number
  closed: number
  /** How often another user asked for a session. */
  strangers: number
  /** Takes whose answer had not come when the process was killed. */
  takesUnderWay: number
  /** Entries of these takes; and those of them that were not there any more. */
  entriesUnderWay: number
  entriesUnknown: number
  /** Calls by how they ended. */
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
