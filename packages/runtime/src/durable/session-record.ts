import { ToolFailure } from '../call/tool-failure.js'
import { isSessionError, SessionError, unknownSession, wrongUser } from '../sessions/stores.js'
import type { RememberedApproval } from '../types/approval.js'
import type { JsonValue } from '../types/json.js'
import type { SessionEntry, StoredCall, StoredMessage } from '../types/session.js'
import { DurableError } from './engine.js'
import type { SessionEntriesPage, SessionRead } from './session-types.js'

/** Read access to the state of one session that an engine stores. */
export interface SessionReader {
  /** Id of the session, chosen by the client. */
  readonly id: string
  /** Returns the stored value of a key. Resolves to `undefined` if the session has no such key. */
  get(key: string): Promise<JsonValue | undefined>
}

/** Keys of the values in the state of a session. A segment contains the entries that one command added. */
export const RECORD = 'session'
export const MESSAGES = 'messages'
export const ENDED = 'ended'
export const segmentKey = (id: number): string => `entries/${id}`

const PAGE_BYTES = 1_000_000

export interface SessionRecord {
  readonly version: 1
  readonly userId: string
  readonly namespaces: readonly string[]
  isClosed: boolean
  nextSequence: number
  lastEntry: number
  /** Highest sequence number of the deleted entries. */
  expired: number
  nextSegment: number
  calls: readonly RunningCall[]
  runs: readonly RunningRun[]
  /** Approvals that the session also applies to later calls, oldest first. */
  approvals?: readonly RememberedApproval[]
  /** Pseudonyms (replacements of sensitive values) in the messages, with the original values. Encrypted if the runtime has a cipher. */
  sensitive?: string
  segments: readonly Segment[]
  /** Unconsumed entries. */
  kept: readonly { readonly callId: string; readonly entries: readonly KeptTuple[] }[]
}

/** `size` is in bytes. `isCompletion` is 1 for the result of a call, and 0 for an update. */
export type KeptTuple = readonly [sequence: number, segment: number, size: number, isCompletion: 0 | 1]

interface RunningCall extends StoredCall {
  readonly handle: string
  readonly isStreaming: boolean
  readonly updates: number
}

interface RunningRun {
  readonly id: string
  readonly handle: string
  readonly isOutside: boolean
}

interface Segment {
  readonly id: number
  readonly last: number
  readonly count: number
  readonly bytes: number
}

export interface KeptReference extends Pick<SessionEntry, 'callId' | 'kind' | 'sequence'> {
  readonly segment: number
  readonly size: number
}

/** Executes a read request of a client. Engines can call this function while a command runs. */
export async function sessionRead(object: SessionReader, request: SessionRead): Promise<SessionReadReply> {
  try {
    const record = requireRecord(object.id, await readRecord(object), request.userId)
    switch (request.kind) {
      case 'pending':
        return { value: pending(record) as unknown as JsonValue }
      case 'messages': {
        const run = activeRun(record)
        return { value: { messages: await readMessages(object), inProgress: run === undefined ? [] : [run] } }
      }
      case 'approvals': {
        const calls = record.calls.map(({ callId }) => callInvocation(object.id, callId))
        const inProgress = [...record.runs.map(({ id }) => id), ...calls]
        return { value: { approvals: (record.approvals ?? []) as unknown as JsonValue, inProgress } }
      }
      case 'poll':
        return { value: (await readEntries(object, keptOf(record))) as unknown as JsonValue }
      case 'entries':
        return { value: (await readPage(object, record, request.after)) as unknown as JsonValue }
    }
  } catch (error) {
    return error instanceof MissingEntriesError ? { isStale: true } : errorReply(error)
  }
}

/**
 * For a command, this error means that the stored state is corrupt. For `sessionRead`, a command that ran at the same time may have deleted the
 * entries: the reply then contains `isStale`, and the client reads again.
 */
class MissingEntriesError extends SessionError {
  constructor(sessionId: string) {
    super(
      'corrupt_state',
      `The stored session '${sessionId}' lacks entries. Delete the session, or restore the data of the engine from a backup.`,
    )
  }
}

/** Reply to a request of a client, as JSON: a value, or the error that the client throws. */
export type SessionReply =
  | { readonly value: JsonValue }
  | {
      readonly error: { readonly message: string } & (
        | { readonly type: 'SessionError'; readonly code: SessionError['code'] }
        | { readonly type: 'DurableError'; readonly code: DurableError['code'] }
        | { readonly type: 'ToolFailure'; readonly code: ToolFailure['reason'] }
      )
    }

/** Reply to a read request. With `isStale`, the state of the session has changed during the read, and the client must send the request again. */
export type SessionReadReply = SessionReply | { readonly isStale: true }

export function errorReply(error: unknown): SessionReply {
  if (isSessionError(error)) return { error: { type: 'SessionError', code: error.code, message: error.message } }
  if (error instanceof DurableError)
    return { error: { type: 'DurableError', code: error.code, message: error.message } }
  if (error instanceof ToolFailure)
    return { error: { type: 'ToolFailure', code: error.reason, message: error.message } }
  throw error
}

export async function readRecord(object: SessionReader): Promise<SessionRecord | undefined> {
  const record = (await object.get(RECORD)) as unknown as SessionRecord | undefined
  if (record === undefined || record.version === 1) return record
  throw new SessionError(
    'newer_state',
    `The session '${object.id}' was stored by a newer version of this package (format ${String(record.version)}). Update the package in the workers.`,
  )
}

export function requireRecord(sessionId: string, record: SessionRecord | undefined, userId: string): SessionRecord {
  if (record === undefined) throw unknownSession(sessionId, 'stored')
  if (record.userId !== userId) throw wrongUser(sessionId)
  return record
}

async function readMessages(object: SessionReader): Promise<JsonValue> {
  const stored = (await object.get(MESSAGES)) as readonly StoredMessage[] | undefined
  return (stored ?? []).map(({ message }) => JSON.parse(message))
}

export function activeRun({ runs }: SessionRecord): string | undefined {
  return runs.find(({ isOutside }) => !isOutside)?.id
}

export function callInvocation(sessionId: string, callId: string): string {
  // Ids of runs do not begin with a slash, so the id of a call never equals the id of a run.
  return `/${encodeURIComponent(sessionId)}/${encodeURIComponent(callId)}`
}

function pending({ calls }: SessionRecord): readonly StoredCall[] {
  return calls
    .filter(({ isStreaming }) => isStreaming)
    .map(({ handle: _, isStreaming: _streams, updates: _updates, ...call }) => call)
}

export function keptOf({ kept }: SessionRecord): readonly KeptReference[] {
  return kept
    .flatMap(({ callId, entries }) =>
      entries.map(([sequence, segment, size, isCompletion]) => {
        return { callId, kind: isCompletion ? ('completed' as const) : ('update' as const), sequence, segment, size }
      }),
    )
    .sort((one, other) => one.sequence - other.sequence)
}

async function readSegment(object: SessionReader, id: number): Promise<readonly SessionEntry[]> {
  const entries = await object.get(segmentKey(id))
  if (entries === undefined) throw new MissingEntriesError(object.id)
  return entries as unknown as readonly SessionEntry[]
}

/** The references must be in the order of their sequence numbers. */
export async function readEntries(
  object: SessionReader,
  references: readonly KeptReference[],
): Promise<readonly SessionEntry[]> {
  const wanted = new Set(references.map(({ sequence }) => sequence))
  const entries: SessionEntry[] = []
  for (const id of new Set(references.map(({ segment }) => segment))) {
    const ofSegment = await readSegment(object, id)
    entries.push(...ofSegment.filter(({ sequence }) => wanted.has(sequence)))
  }
  return entries
}

async function readPage(
  object: SessionReader,
  { lastEntry, expired, segments, isClosed }: SessionRecord,
  after = lastEntry,
): Promise<SessionEntriesPage> {
  if (after < expired) {
    throw new SessionError(
      'entries_expired',
      `The entries of the session '${object.id}' up to ${expired} are no longer kept. Read the unconsumed entries with \`poll\`, then subscribe after the last one.`,
    )
  }
  const entries: SessionEntry[] = []
  let bytes = 0
  for (const segment of segments) {
    if (segment.last <= after) continue
    if (bytes > PAGE_BYTES) break
    bytes += segment.bytes
    entries.push(...(await readSegment(object, segment.id)).filter(({ sequence }) => sequence > after))
  }
  const position = entries.at(-1)?.sequence ?? after
  return { entries, position, isClosed: isClosed && position >= lastEntry }
}
