import type { Mutable } from '../contract/mutable.js'
import type { SessionCall, SessionEntry, StoredCall, StoredSession } from '../contract/session.js'
import type { StoredOutcome } from '../contract/suspension.js'

type Completed = Extract<StoredOutcome, { readonly status: 'completed' }>

/** A call as the table has it: `id` is the model's, `call_id` the session's. */
interface CallMetadata {
  readonly name: string
  readonly id?: string
  readonly call_id: string
  /** Always: a call that is answered at once is not stored. */
  readonly is_async: true
  readonly is_run: boolean
}

/** A completed call. Its JSON texts are texts here, so that they come back as they were, byte for byte. */
export interface CompletedCall {
  readonly metadata: CallMetadata & {
    readonly sequence: number
    readonly dropped_updates?: number
    readonly timed_out?: true
    readonly dropped_bytes?: number
  }
  readonly result: { readonly Ok: Completed } | { readonly Err: Exclude<StoredOutcome, Completed> }
}

/** An update. */
export interface Update extends CallMetadata {
  readonly sequence: number
  readonly index: number
  readonly update: string
}

interface RunningCall extends CallMetadata {
  readonly started_at: number
  readonly dropped_updates?: number
}

/** Content of the column `tool_results`. */
export interface StoredDocument {
  /** 2 when entries have rows of their own: a runtime that does not know these refuses the session. */
  readonly version: 1 | 2
  readonly namespaces: readonly string[]
  readonly available_tools: readonly string[]
  readonly completed_calls: readonly CompletedCall[]
  readonly updates: readonly Update[]
  readonly running_calls: readonly RunningCall[]
  readonly next_sequence: number
  /** Sequences of the entries that have rows of their own. Absent: none. */
  readonly entry_sequences?: readonly number[]
}

/**
 * State of a session for the column `tool_results`.
 *
 * @param inline entries that stand in the column itself
 * @param sequences those of all other entries
 */
export function documentOf(
  session: StoredSession,
  inline: readonly SessionEntry[],
  sequences: readonly number[],
): StoredDocument {
  const { namespaces, availableTools, running, nextSequence } = session
  return {
    version: sequences.length === 0 ? 1 : 2,
    namespaces,
    available_tools: availableTools,
    completed_calls: inline.flatMap((entry) => (entry.kind === 'completed' ? [completedCall(entry)] : [])),
    updates: inline.flatMap((entry) => (entry.kind === 'update' ? [updateOf(entry)] : [])),
    running_calls: running.map((call) => ({
      ...metadataOf(call),
      started_at: call.startedAt,
      ...dropped(call.droppedUpdates),
    })),
    next_sequence: nextSequence,
    ...(sequences.length > 0 && { entry_sequences: sequences }),
  }
}

/** An entry as its own row has it. */
export function rowOf(entry: SessionEntry): CompletedCall | Update {
  return entry.kind === 'completed' ? completedCall(entry) : updateOf(entry)
}

/** Session of a document that has all its entries; these are in order of arrival. */
export function sessionOf(document: StoredDocument, sessionId: string, userId: string): StoredSession {
  const { namespaces, available_tools, completed_calls, updates, running_calls, next_sequence } = document
  const entries: readonly SessionEntry[] = [
    ...updates.map((update): SessionEntry => {
      const { sequence, index } = update
      return { kind: 'update', ...callOf(update), sequence, index, update: update.update }
    }),
    ...completed_calls.map(completion),
  ].sort((one, other) => one.sequence - other.sequence)
  const running = running_calls.map((call): StoredCall => {
    const { started_at: startedAt, dropped_updates } = call
    return { ...callOf(call), startedAt, ...(dropped_updates !== undefined && { droppedUpdates: dropped_updates }) }
  })
  return {
    version: 1,
    sessionId,
    userId,
    namespaces,
    availableTools: available_tools,
    entries,
    running,
    nextSequence: next_sequence,
  }
}

function updateOf(entry: Extract<SessionEntry, { readonly kind: 'update' }>): Update {
  const { sequence, index, update } = entry
  return { ...metadataOf(entry), sequence, index, update }
}

function completedCall(entry: Extract<SessionEntry, { readonly kind: 'completed' }>): CompletedCall {
  const { sequence, outcome, droppedUpdates, timedOut, droppedBytes } = entry
  return {
    metadata: {
      ...metadataOf(entry),
      sequence,
      ...dropped(droppedUpdates),
      ...(timedOut !== undefined && { timed_out: timedOut }),
      ...(droppedBytes !== undefined && { dropped_bytes: droppedBytes }),
    },
    result: outcome.status === 'completed' ? { Ok: outcome } : { Err: outcome },
  }
}

function completion({ metadata, result }: CompletedCall): SessionEntry {
  const { sequence, dropped_updates, timed_out, dropped_bytes } = metadata
  return {
    kind: 'completed',
    ...callOf(metadata),
    sequence,
    outcome: 'Ok' in result ? result.Ok : result.Err,
    ...(dropped_updates !== undefined && { droppedUpdates: dropped_updates }),
    ...(timed_out !== undefined && { timedOut: timed_out }),
    ...(dropped_bytes !== undefined && { droppedBytes: dropped_bytes }),
  }
}

function metadataOf({ tool, toolCallId, callId, isRun }: SessionCall): CallMetadata {
  return {
    name: tool,
    ...(toolCallId !== undefined && { id: toolCallId }),
    call_id: callId,
    is_async: true,
    is_run: isRun,
  }
}

function callOf({ name, id, call_id, is_run }: CallMetadata): SessionCall {
  const call: Mutable<SessionCall> = { callId: call_id, tool: name, isRun: is_run }
  if (id !== undefined) call.toolCallId = id
  return call
}

function dropped(updates: number | undefined): { readonly dropped_updates?: number } {
  return updates === undefined ? {} : { dropped_updates: updates }
}
