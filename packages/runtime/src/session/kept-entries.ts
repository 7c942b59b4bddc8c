import type { SessionEntry } from '../contract/session.js'
import { entrySize } from './entry-size.js'

/** What nobody has taken yet, by call. */
export class KeptEntries {
  readonly #byCall = new Map<string, SessionEntry[]>()
  readonly #maxUpdates: number
  readonly #maxBytes: number
  #count = 0
  #bytes = 0

  /**
   * @param limits `updates`: maximum number of updates of one call; `bytes`: maximum size of all entries. The oldest updates
   * of a call are dropped for its next ones
   * @param entries in order of arrival; kept whatever their number and size
   */
  constructor(
    { updates, bytes }: { readonly updates: number; readonly bytes: number },
    entries: readonly SessionEntry[],
  ) {
    this.#maxUpdates = updates
    this.#maxBytes = bytes
    this.putBack(entries)
  }

  /** How many there are. */
  get count(): number {
    return this.#count
  }

  /** The memory that they take up, roughly. Counted as they come and go: who asks again and again would stop the process. */
  get bytes(): number {
    return this.#bytes
  }

  /** @returns how many updates had to go */
  add(entry: SessionEntry): number {
    this.#came(entry)
    const ofCall = this.#byCall.get(entry.callId)
    if (ofCall === undefined) this.#byCall.set(entry.callId, [entry])
    else ofCall.push(entry)
    if (entry.kind === 'completed') return 0
    const surplus = Math.max(0, (ofCall?.length ?? 1) - this.#maxUpdates)
    return this.#dropOldest(entry.callId, surplus, this.#maxBytes)
  }

  /** Drops the oldest updates of a call until the entries leave so much room, or there are none. @returns their number */
  makeRoom(callId: string, bytes: number): number {
    return this.#dropOldest(callId, 0, this.#maxBytes - bytes)
  }

  #dropOldest(callId: string, atLeast: number, maxBytes: number): number {
    const ofCall = this.#byCall.get(callId) ?? []
    let dropped = 0
    for (const entry of ofCall) {
      if (entry.kind === 'completed' || (dropped >= atLeast && this.#bytes <= maxBytes)) break
      this.#went(entry)
      dropped += 1
    }
    ofCall.splice(0, dropped)
    return dropped
  }

  /** All, in order of arrival. */
  all(): readonly SessionEntry[] {
    return inOrder([...this.#byCall.values()])
  }

  /** Whether there is a call of which this is true. */
  has(isMeant: (last: SessionEntry) => boolean): boolean {
    for (const ofCall of this.#byCall.values()) {
      const last = ofCall.at(-1)
      if (last !== undefined && isMeant(last)) return true
    }
    return false
  }

  /** Gives out all entries of those calls of which this is true, in order of arrival. They are kept no more. */
  take(isMeant: (last: SessionEntry) => boolean): readonly SessionEntry[] {
    const taken: SessionEntry[][] = []
    for (const [callId, ofCall] of this.#byCall) {
      const last = ofCall.at(-1)
      if (last === undefined || !isMeant(last)) continue
      taken.push(ofCall)
      for (const entry of ofCall) this.#went(entry)
      this.#byCall.delete(callId)
    }
    return inOrder(taken)
  }

  /** Takes back what was given out. */
  putBack(entries: readonly SessionEntry[]): void {
    const returned = new Map<string, SessionEntry[]>()
    for (const entry of entries) {
      this.#came(entry)
      const ofCall = returned.get(entry.callId)
      if (ofCall === undefined) returned.set(entry.callId, [entry])
      else ofCall.push(entry)
    }
    for (const [callId, ofCall] of returned) this.#byCall.set(callId, [...ofCall, ...(this.#byCall.get(callId) ?? [])])
  }

  clear(): void {
    this.#byCall.clear()
    this.#count = 0
    this.#bytes = 0
  }

  #came(entry: SessionEntry): void {
    this.#count += 1
    this.#bytes += entrySize(entry)
  }

  #went(entry: SessionEntry): void {
    this.#count -= 1
    this.#bytes -= entrySize(entry)
  }
}

function inOrder(byCall: readonly (readonly SessionEntry[])[]): readonly SessionEntry[] {
  const [first] = byCall
  if (first !== undefined && byCall.length === 1) return Object.freeze([...first])
  return Object.freeze(byCall.flat().sort((one, other) => one.sequence - other.sequence))
}
