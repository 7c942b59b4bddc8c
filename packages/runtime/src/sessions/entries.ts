import { isFilePart } from '../call/content.js'
import type { StoredOutcome } from '../types/outcome.js'
import type { CompletedCall, SessionEntry, SessionUpdate } from '../types/session.js'
import type { SessionError } from './stores.js'

export interface EntryLimits {
  readonly maxUpdatesPerCall: number
  readonly maxBytes: number
}

/** Contains the entries that the application has not consumed yet. `Entry` is a complete session entry, or a reference to a stored entry. */
export class KeptEntries<Entry extends Pick<SessionEntry, 'callId' | 'kind' | 'sequence'>> {
  readonly #byCall = new Map<string, Entry[]>()
  readonly #limits: EntryLimits
  readonly #sizeOf: (entry: Entry) => number
  #count = 0
  #bytes = 0

  /**
   * @param entries initial entries in order of arrival; none of them is dropped, even if they exceed the limits
   * @param sizeOf function that returns the memory of an entry in bytes
   */
  constructor(limits: EntryLimits, entries: readonly Entry[], sizeOf: (entry: Entry) => number) {
    this.#limits = limits
    this.#sizeOf = sizeOf
    this.putBack(entries)
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#bytes
  }

  add(entry: Entry): number {
    this.#count += 1
    this.#bytes += this.#sizeOf(entry)
    const ofCall = this.#byCall.get(entry.callId)
    if (ofCall === undefined) this.#byCall.set(entry.callId, [entry])
    else ofCall.push(entry)
    if (entry.kind === 'completed') return 0
    const surplus = Math.max(0, (ofCall?.length ?? 1) - this.#limits.maxUpdatesPerCall)
    return this.#dropOldest(entry.callId, surplus, this.#limits.maxBytes)
  }

  makeRoom(callId: string, bytes: number): number {
    return this.#dropOldest(callId, 0, this.#limits.maxBytes - bytes)
  }

  #dropOldest(callId: string, atLeast: number, maxBytes: number): number {
    const ofCall = this.#byCall.get(callId) ?? []
    let dropped = 0
    for (const entry of ofCall) {
      if (entry.kind === 'completed' || (dropped >= atLeast && this.#bytes <= maxBytes)) break
      this.#remove(entry)
      dropped += 1
    }
    ofCall.splice(0, dropped)
    return dropped
  }

  all(): readonly Entry[] {
    return inOrder([...this.#byCall.values()])
  }

  has(matches: (last: Entry) => boolean): boolean {
    for (const ofCall of this.#byCall.values()) {
      const last = ofCall.at(-1)
      if (last !== undefined && matches(last)) return true
    }
    return false
  }

  consume(matches: (last: Entry) => boolean): readonly Entry[] {
    const consumed: Entry[][] = []
    for (const [callId, ofCall] of this.#byCall) {
      const last = ofCall.at(-1)
      if (last === undefined || !matches(last)) continue
      consumed.push(ofCall)
      for (const entry of ofCall) this.#remove(entry)
      this.#byCall.delete(callId)
    }
    return inOrder(consumed)
  }

  putBack(entries: readonly Entry[]): void {
    const returned = new Map<string, Entry[]>()
    for (const entry of entries) {
      this.#count += 1
      this.#bytes += this.#sizeOf(entry)
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

  #remove(entry: Entry): void {
    this.#count -= 1
    this.#bytes -= this.#sizeOf(entry)
  }
}

function inOrder<Entry extends Pick<SessionEntry, 'sequence'>>(
  byCall: readonly (readonly Entry[])[],
): readonly Entry[] {
  const [first] = byCall
  if (first !== undefined && byCall.length === 1) return Object.freeze([...first])
  return Object.freeze(byCall.flat().sort((one, other) => one.sequence - other.sequence))
}

/** Approximate memory of an entry without its strings, in bytes, as measured with Node 20. */
const BASE_SIZE = { update: 150, completed: 500 }

/** In bytes, approximately. Counts one byte per character of a string. */
export function entrySize(entry: SessionEntry): number {
  return entry.kind === 'update' ? BASE_SIZE.update + entry.update.length : outcomeSize(entry.outcome)
}

export function outcomeSize(outcome: StoredOutcome): number {
  const { extra, children } = outcome.provenance
  if (outcome.status === 'completed' && extra === undefined && children === undefined) {
    const { json, data = '', content = [] } = outcome
    const parts = content.map((part) => (isFilePart(part) ? part.data : JSON.stringify(part)))
    return BASE_SIZE.completed + json.length + data.length + parts.reduce((sum, part) => sum + part.length, 0)
  }
  return BASE_SIZE.completed + JSON.stringify(outcome).length
}

export function completedCalls(entries: readonly SessionEntry[]): readonly CompletedCall[] {
  const updates = new Map<string, SessionUpdate[]>()
  for (const entry of entries) {
    if (entry.kind !== 'update') continue
    const ofCall = updates.get(entry.callId)
    if (ofCall === undefined) updates.set(entry.callId, [entry])
    else ofCall.push(entry)
  }
  return entries
    .filter((entry) => entry.kind === 'completed')
    .map((completion) => ({ completion, updates: updates.get(completion.callId) ?? [] }))
}

interface FeedNode {
  filled: { readonly entry: SessionEntry; readonly next: FeedNode } | undefined
}

/**
 * Delivers every entry to any number of subscribers. The entries are a linked list, and each subscriber stores only its position. Entries that all
 * subscribers have read can therefore be garbage-collected.
 */
export class EntryFeed {
  #last: FeedNode = { filled: undefined }
  #ended: { readonly error: SessionError | undefined } | undefined = undefined
  #waiting: (() => void)[] = []

  push(entry: SessionEntry): void {
    const next: FeedNode = { filled: undefined }
    this.#last.filled = { entry, next }
    this.#last = next
    this.#wakeAll()
  }

  /** Ends all iterations. With `error`, the iterations end immediately. Without `error`, each iteration ends after it has returned all entries. */
  end(error?: SessionError): void {
    this.#ended ??= { error }
    this.#wakeAll()
  }

  subscribe(): AsyncIterableIterator<SessionEntry> {
    let node: FeedNode | undefined = this.#last
    return {
      next: async () => {
        for (;;) {
          if (node === undefined) return { done: true, value: undefined }
          if (this.#ended?.error !== undefined) {
            node = undefined
            throw this.#ended.error
          }
          const { filled }: FeedNode = node
          if (filled !== undefined) {
            node = filled.next
            return { done: false, value: filled.entry }
          }
          if (this.#ended !== undefined) node = undefined
          else await new Promise<void>((resolve) => void this.#waiting.push(resolve))
        }
      },
      return: async () => {
        node = undefined
        this.#wakeAll()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
