import type { StoredOutcome } from '../types/outcome.js'
import type { SessionEntry } from '../types/session.js'
import type { SessionError } from './session-types.js'

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
  consume(isMeant: (last: SessionEntry) => boolean): readonly SessionEntry[] {
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

/** One place of the list; the last one is empty until an entry comes. */
interface Place {
  filled: { readonly entry: SessionEntry; readonly next: Place } | undefined
}

/**
 * Every entry from a subscription on, for any number of subscribers. They share one list of which only they hold the
 * beginning: what all have read, or whoever has gone away without a word, is freed.
 */
export class EntryFeed {
  #last: Place = { filled: undefined }
  #waiting = new Set<() => void>()
  #ended: { readonly error: SessionError | undefined } | undefined = undefined

  push(entry: SessionEntry): void {
    const next: Place = { filled: undefined }
    this.#last.filled = { entry, next }
    this.#last = next
    this.#wakeAll()
  }

  /** Nothing follows: subscribers read to the end, or, with an error, get that and nothing else. */
  end(error?: SessionError): void {
    this.#ended ??= { error }
    this.#wakeAll()
  }

  /** Every entry from now on. */
  subscribe(): AsyncIterableIterator<SessionEntry> {
    let place: Place | undefined = this.#last
    const wakes = new Set<() => void>()
    const next = async (): Promise<IteratorResult<SessionEntry>> => {
      for (;;) {
        if (place === undefined) return { done: true, value: undefined }
        if (this.#ended?.error !== undefined) {
          place = undefined
          throw this.#ended.error
        }
        const { filled }: Place = place
        if (filled !== undefined) {
          place = filled.next
          return { done: false, value: filled.entry }
        }
        if (this.#ended !== undefined) place = undefined
        else await this.#more(wakes)
      }
    }
    return {
      next,
      return: async () => {
        place = undefined
        for (const wake of wakes) wake()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  /** Resolves when there is more, or the subscriber goes. */
  #more(ofSubscriber: Set<() => void>): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        ofSubscriber.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
      ofSubscriber.add(wake)
    })
  }

  #wakeAll(): void {
    if (this.#waiting.size > 0) for (const wake of [...this.#waiting]) wake()
  }
}

/** What an entry without its text takes up, in bytes, as measured on Node 20. */
const FRAME = { update: 150, completed: 500 }

/** The memory that an entry takes up, in bytes, roughly: texts count a byte for each character. */
export function entrySize(entry: SessionEntry): number {
  if (entry.kind === 'update') return FRAME.update + entry.update.length
  return outcomeSize(entry.outcome)
}

/** Memory that the completion with this outcome uses, in bytes, counted as {@link entrySize} does. */
export function outcomeSize(outcome: StoredOutcome): number {
  const { extra, children } = outcome.provenance
  if (outcome.status === 'completed' && extra === undefined && children === undefined)
    return FRAME.completed + outcome.json.length + (outcome.data?.length ?? 0)
  return FRAME.completed + JSON.stringify(outcome).length
}
