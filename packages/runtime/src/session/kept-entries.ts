import type { SessionEntry } from '../contract/session.js'

/** What nobody has taken yet, by call. */
export class KeptEntries {
  readonly #byCall = new Map<string, SessionEntry[]>()
  readonly #maxUpdates: number

  /**
   * @param maxUpdates how many updates of one call are kept; of more the oldest go
   * @param entries in order of arrival; kept whatever their number
   */
  constructor(maxUpdates: number, entries: readonly SessionEntry[]) {
    this.#maxUpdates = maxUpdates
    this.putBack(entries)
  }

  /** @returns how many updates had to go */
  add(entry: SessionEntry): number {
    const ofCall = this.#byCall.get(entry.callId)
    if (ofCall === undefined) this.#byCall.set(entry.callId, [entry])
    else ofCall.push(entry)
    if (ofCall === undefined || entry.kind === 'completed') return 0
    const surplus = Math.max(0, ofCall.length - this.#maxUpdates)
    ofCall.splice(0, surplus)
    return surplus
  }

  /** All, in order of arrival. */
  all(): readonly SessionEntry[] {
    return inOrder([...this.#byCall.values()])
  }

  /** Gives out all entries of those calls of which this is true, in order of arrival. They are kept no more. */
  take(isMeant: (last: SessionEntry) => boolean): readonly SessionEntry[] {
    const taken: SessionEntry[][] = []
    for (const [callId, ofCall] of this.#byCall) {
      const last = ofCall.at(-1)
      if (last === undefined || !isMeant(last)) continue
      taken.push(ofCall)
      this.#byCall.delete(callId)
    }
    return inOrder(taken)
  }

  /** Takes back what was given out. */
  putBack(entries: readonly SessionEntry[]): void {
    const returned = new Map<string, SessionEntry[]>()
    for (const entry of entries) {
      const ofCall = returned.get(entry.callId)
      if (ofCall === undefined) returned.set(entry.callId, [entry])
      else ofCall.push(entry)
    }
    for (const [callId, ofCall] of returned) this.#byCall.set(callId, [...ofCall, ...(this.#byCall.get(callId) ?? [])])
  }

  clear(): void {
    this.#byCall.clear()
  }
}

function inOrder(byCall: readonly (readonly SessionEntry[])[]): readonly SessionEntry[] {
  const [first] = byCall
  if (first !== undefined && byCall.length === 1) return Object.freeze([...first])
  return Object.freeze(byCall.flat().sort((one, other) => one.sequence - other.sequence))
}
