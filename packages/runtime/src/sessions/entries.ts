import {
  amount,
  completedOutcome as completedOutcomeSchema,
  failedOutcome as failedOutcomeSchema,
  storedOutcome,
  suspendedOutcome,
} from '../agents/stored-outcome.js'
import type { BoundTool } from '../call/bound-tools.js'
import { deepFreeze } from '../call/bound-tools.js'
import type { AbortTarget } from '../call/call-group.js'
import { failedOutcome } from '../call/failed-outcome.js'
import type { ServedTool, ToolTable } from '../call/served-tool.js'
import type { Abortable } from '../call/timers.js'
import { internalFailure } from '../call/tool-call.js'
import { payloadCodec } from '../codec/codecs.js'
import { shallow } from '../schema/mode.js'
import type { Effects } from '../types/call-options.js'
import type { Codec } from '../types/codec.js'
import type { FailureReason } from '../types/failure.js'
import type { Mutable } from '../types/json.js'
import type { StoredOutcome, ToolOutcome } from '../types/outcome.js'
import type { SessionCall, SessionEntry, StoredCall } from '../types/session.js'
import type { SessionError } from './stores.js'

/** Entries that nobody has consumed, by call. */
export class KeptEntries {
  readonly #byCall = new Map<string, SessionEntry[]>()
  readonly #maxUpdatesPerCall: number
  readonly #maxBytes: number
  #count = 0
  #bytes = 0

  /** @param entries in order of arrival; kept whatever their number and size */
  constructor(maxUpdatesPerCall: number, maxBytes: number, entries: readonly SessionEntry[]) {
    this.#maxUpdatesPerCall = maxUpdatesPerCall
    this.#maxBytes = maxBytes
    this.putBack(entries)
  }

  get count(): number {
    return this.#count
  }

  /** Approximate memory of the entries. Counted as they come and go, so that reading it costs nothing. */
  get bytes(): number {
    return this.#bytes
  }

  /** @returns number of updates of the call that were dropped to make room */
  add(entry: SessionEntry): number {
    this.#count += 1
    this.#bytes += entrySize(entry)
    const ofCall = this.#byCall.get(entry.callId)
    if (ofCall === undefined) this.#byCall.set(entry.callId, [entry])
    else ofCall.push(entry)
    if (entry.kind === 'completed') return 0
    const surplus = Math.max(0, (ofCall?.length ?? 1) - this.#maxUpdatesPerCall)
    return this.#dropOldest(entry.callId, surplus, this.#maxBytes)
  }

  /** Drops the oldest updates of a call until there is room for `bytes`, or none is left. @returns their number */
  makeRoom(callId: string, bytes: number): number {
    return this.#dropOldest(callId, 0, this.#maxBytes - bytes)
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

  /** Returns all entries in order of arrival. */
  all(): readonly SessionEntry[] {
    return inOrder([...this.#byCall.values()])
  }

  /** Returns whether there are entries of a call whose last entry matches. */
  has(matches: (last: SessionEntry) => boolean): boolean {
    for (const ofCall of this.#byCall.values()) {
      const last = ofCall.at(-1)
      if (last !== undefined && matches(last)) return true
    }
    return false
  }

  /** Removes and returns, in order of arrival, all entries of the calls whose last entry matches. */
  consume(matches: (last: SessionEntry) => boolean): readonly SessionEntry[] {
    const consumed: SessionEntry[][] = []
    for (const [callId, ofCall] of this.#byCall) {
      const last = ofCall.at(-1)
      if (last === undefined || !matches(last)) continue
      consumed.push(ofCall)
      for (const entry of ofCall) this.#remove(entry)
      this.#byCall.delete(callId)
    }
    return inOrder(consumed)
  }

  /** Puts consumed entries back, before newer entries of their calls. */
  putBack(entries: readonly SessionEntry[]): void {
    const returned = new Map<string, SessionEntry[]>()
    for (const entry of entries) {
      this.#count += 1
      this.#bytes += entrySize(entry)
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

  #remove(entry: SessionEntry): void {
    this.#count -= 1
    this.#bytes -= entrySize(entry)
  }
}

function inOrder(byCall: readonly (readonly SessionEntry[])[]): readonly SessionEntry[] {
  const [first] = byCall
  if (first !== undefined && byCall.length === 1) return Object.freeze([...first])
  return Object.freeze(byCall.flat().sort((one, other) => one.sequence - other.sequence))
}

/** Memory of an entry without its text, in bytes, as measured on Node 20. */
const BASE_SIZE = { update: 150, completed: 500 }

/** Returns the approximate memory of an entry, in bytes; texts count one byte per character. */
export function entrySize(entry: SessionEntry): number {
  return entry.kind === 'update' ? BASE_SIZE.update + entry.update.length : outcomeSize(entry.outcome)
}

/** Returns the approximate memory of a completion with this outcome, in bytes. */
export function outcomeSize(outcome: StoredOutcome): number {
  const { extra, children } = outcome.provenance
  if (outcome.status === 'completed' && extra === undefined && children === undefined)
    return BASE_SIZE.completed + outcome.json.length + (outcome.data?.length ?? 0)
  return BASE_SIZE.completed + JSON.stringify(outcome).length
}

/** Node of the list of entries; the last node is empty until an entry comes. */
interface FeedNode {
  filled: { readonly entry: SessionEntry; readonly next: FeedNode } | undefined
}

/**
 * Delivers every entry to any number of subscribers. They share one linked list and each holds only its position, so that
 * entries which all have read are freed, also those of a subscriber that was dropped without `return`.
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

  /** Ends all iterations: after the entries they have not read, or at once with an error. */
  end(error?: SessionError): void {
    this.#ended ??= { error }
    this.#wakeAll()
  }

  /** Iterates over every entry from now on. */
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

  /** Lets waiting subscribers look for an entry or the end. */
  #wakeAll(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}

/** A call of a streaming tool, from its start until its result is visible. */
export class StreamingCall {
  readonly tool: BoundTool
  readonly info: SessionCall
  readonly startedAt: number
  hasEnded = false
  /** Set if the caller was never told that the call started: its updates and result do not count. */
  isDiscarded = false
  droppedUpdates = 0
  /** Number of updates that are not stored yet. */
  waitingUpdates = 0
  /** Size of the result while it is not stored yet, in bytes. */
  waitingBytes = 0
  /** Present once the tool has started. */
  running: (AbortTarget & Pick<Abortable, 'aborted'>) | undefined = undefined

  /** @throws what the source of ids or the clock throws */
  constructor(tool: BoundTool, toolCallId: string | undefined, isRun: boolean, effects: Effects) {
    const callId = effects.newId('toolCall')
    const now = effects.now()
    this.tool = tool
    this.info = Object.freeze({ callId, ...(toolCallId !== undefined && { toolCallId }), tool: tool.id, isRun })
    // A clock of the application may return what cannot be stored.
    this.startedAt = amount(now)
  }

  abort(reason: unknown): void {
    this.running?.abort(reason)
  }

  /** Returns the call as it is stored while it runs. */
  stored(): StoredCall {
    const stored: Mutable<StoredCall> = { ...this.info, startedAt: this.startedAt }
    if (this.droppedUpdates > 0) stored.droppedUpdates = this.droppedUpdates
    return Object.freeze(stored)
  }
}

interface SessionFailure {
  readonly reason: Extract<FailureReason, 'timeout' | 'interrupted' | 'internal'>
  /** Shown to the model; if empty, the default message of the reason. */
  readonly message: string
  /** Absent if the tool does not exist any more. */
  readonly tool: BoundTool | undefined
  readonly durationMs: number
}

/** Returns the outcome of a call that its session ends in place of the tool. */
export function failedBySession(
  { tool: id, toolCallId, callId }: SessionCall,
  { reason, message, tool, durationMs }: SessionFailure,
): StoredOutcome {
  const call = Object.freeze({ tool: id, toolCallId: toolCallId ?? callId })
  const { provenance, error, hint } = failedOutcome(
    { reason, message },
    { call, ...(tool !== undefined && { tool }), rejected: '', durationMs, attempts: 1 },
  )
  return Object.freeze({ call, provenance, status: 'failed', error, hint })
}

/**
 * Returns an outcome as frozen data that can be stored and read again, whatever layers put into it. An invalid outcome
 * becomes a failure.
 */
export function plainOutcome(table: ToolTable, outcome: ToolOutcome, { isLayered }: ServedTool): StoredOutcome {
  try {
    const stored = storedOutcome(table, outcome)
    const { extra, children, durationMs } = outcome.provenance
    const isPlain =
      !isLayered &&
      outcome.status !== 'suspended' &&
      extra === undefined &&
      children === undefined &&
      Number.isFinite(durationMs)
    return isPlain ? Object.freeze(stored) : checked(stored)
  } catch (error) {
    return Object.freeze(storedOutcome(table, internalFailure(outcome.call, '', error)))
  }
}

let codec: Codec<never, StoredOutcome> | undefined

/** @throws if the outcome is not JSON, or not an outcome */
function checked(outcome: StoredOutcome): StoredOutcome {
  const { provenance } = outcome
  // A clock of the application may return anything; that is no reason to lose the result.
  const cost = { durationMs: amount(provenance.durationMs), attempts: amount(provenance.attempts) }
  const copy: unknown = JSON.parse(JSON.stringify({ ...outcome, provenance: { ...provenance, ...cost } }))
  if (!shallow(copy)) throw new TypeError('the outcome is nested too deep to be stored')
  codec ??= payloadCodec({
    // A nested run is validated when it is resumed.
    schema: { anyOf: [completedOutcomeSchema, failedOutcomeSchema, suspendedOutcome({ type: 'object' })] },
    unknown: 'keep',
  })
  const decoded = codec.decodeValue(copy)
  if (!decoded.ok) throw new TypeError(`a layer answered with no outcome: ${decoded.issues[0]?.path}`)
  return deepFreeze(decoded.value)
}
