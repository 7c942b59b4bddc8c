import { completedOutcome, count, failedOutcome, fields, suspendedOutcome, text } from '../agents/suspension-schema.js'
import { peek } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import type { Codec } from '../types/codec.js'
import type { Issue } from '../types/issue.js'
import type { JsonSchema, JsonText, Mutable } from '../types/json.js'
import type { StoredOutcome } from '../types/outcome.js'
import type { SessionCall, SessionEntry, StoredCall, StoredSession } from '../types/session.js'
import { SessionError } from './session-error.js'

const texts = { type: 'array', items: text } as const
const sequence = { type: 'integer', minimum: 0 } as const

const flag = { type: 'boolean' } as const
const named = { name: text, call_id: text, is_async: flag, is_run: flag } as const

const completedCallSchema = fields({
  metadata: fields(
    { ...named, sequence },
    { id: text, dropped_updates: count, timed_out: { const: true }, dropped_bytes: count },
  ),
  result: {
    anyOf: [
      fields({ Ok: completedOutcome }),
      // A run beneath is read when it is resumed.
      fields({ Err: { anyOf: [failedOutcome, suspendedOutcome({ type: 'object' })] } }),
    ],
  },
})

const update = fields({ ...named, sequence, index: count, update: text }, { id: text })

const runningCall = fields({ ...named, started_at: count }, { id: text, dropped_updates: count })

/** Schema of the column `tool_results`, as far as a session relies on it. */
const documentSchema: JsonSchema = fields(
  {
    version: { enum: [1, 2] },
    namespaces: texts,
    available_tools: texts,
    completed_calls: { type: 'array', items: completedCallSchema },
    updates: { type: 'array', items: update },
    running_calls: { type: 'array', items: runningCall },
    next_sequence: sequence,
  },
  { entry_sequences: { type: 'array', items: sequence } },
)

/** Schema of an entry that has a row of its own. */
const entrySchema: JsonSchema = { anyOf: [completedCallSchema, update] }

const documentCodec: Codec<never, StoredDocument> = payloadCodec({ schema: documentSchema, unknown: 'keep' })
const entryCodec: Codec<never, CompletedCall | Update> = payloadCodec({ schema: entrySchema, unknown: 'keep' })

/** Maximum number of places that an error names. */
const MAX_PLACES = 3

/** Newest version of a document that this runtime reads. */
const VERSION = 2

/** An entry that has a row of its own. */
interface EntryRow {
  readonly sequence: number
  /** The column `entry` as text. */
  readonly json: string
}

/**
 * Reads a stored document and the entries that it lists. Errors name the place and kind of what is wrong, never the content.
 *
 * @param json the column `tool_results` as text
 * @param rows entries of the session that have rows of their own
 * @throws {SessionError} `newer_state` or `corrupt_state`.
 */
export function readDocument(json: string, rows: readonly EntryRow[], sessionId: string): StoredDocument {
  const given = parsed(json)
  const version = peek(given, 'version')
  if (typeof version === 'number' && version > VERSION) {
    throw new SessionError(
      'newer_state',
      `The stored session '${sessionId}' has the version ${version}, and this runtime reads versions up to ${VERSION}: open it with the runtime that stored it, or a newer one.`,
    )
  }
  const decoded = documentCodec.decodeValue(given)
  if (!decoded.ok) throw corrupt(sessionId, placesOf(decoded.issues, 'tool_results'))
  const { completed_calls, updates, next_sequence, entry_sequences = [] } = decoded.value
  const own = ownEntries(entry_sequences, rows, sessionId)
  const all: readonly PlacedEntry[] = [
    ...updates.map((entry, index) => ({ place: `tool_results/updates/${index}`, entry })),
    ...completed_calls.map((entry, index) => ({ place: `tool_results/completed_calls/${index}`, entry })),
    ...own,
  ]
  const place = strangeSequence(all, next_sequence) ?? brokenText(all)
  if (place !== undefined) throw corrupt(sessionId, [place])
  return {
    ...decoded.value,
    completed_calls: [...completed_calls, ...own.flatMap(({ entry }) => (isCompleted(entry) ? [entry] : []))],
    updates: [...updates, ...own.flatMap(({ entry }) => (isCompleted(entry) ? [] : [entry]))],
  }
}

interface PlacedEntry {
  readonly place: string
  readonly entry: CompletedCall | Update
}

/** Entries that a document lists. Other rows are of saves that did not count. */
function ownEntries(
  sequences: readonly number[],
  rows: readonly EntryRow[],
  sessionId: string,
): readonly PlacedEntry[] {
  const bySequence = new Map(rows.map(({ sequence, json }) => [sequence, json]))
  return sequences.map((sequence) => {
    const place = `entries/${sequence}`
    const json = bySequence.get(sequence)
    if (json === undefined) throw corrupt(sessionId, [`${place} (missing)`])
    const decoded = entryCodec.decodeValue(parsed(json))
    if (!decoded.ok) throw corrupt(sessionId, placesOf(decoded.issues, place))
    if (sequenceOf(decoded.value) !== sequence) throw corrupt(sessionId, [`${place} (other_sequence)`])
    return { place, entry: decoded.value }
  })
}

/** Error for a stored session that cannot be read. */
export function corrupt(sessionId: string, places: readonly string[]): SessionError {
  const named = [...new Set(places)].slice(0, MAX_PLACES).join(', ')
  return new SessionError(
    'corrupt_state',
    `The stored session '${sessionId}' cannot be read, at ${named}. It was left as it is: repair its row, or delete it, and open the session again.`,
  )
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(restoredJson(json))
  } catch {
    // The column is jsonb: what is no JSON was never read from it.
    return undefined
  }
}

function placesOf(issues: readonly Issue[], place: string): readonly string[] {
  return issues.flatMap((issue) =>
    issue.constraint === 'no_variant_matches' && issue.nearest !== undefined
      ? placesOf(issue.nearest, place)
      : [`${place}${issue.path} (${issue.constraint})`],
  )
}

function isCompleted(entry: CompletedCall | Update): entry is CompletedCall {
  return 'metadata' in entry
}

function sequenceOf(entry: CompletedCall | Update): number {
  return isCompleted(entry) ? entry.metadata.sequence : entry.sequence
}

/** Place of a text that has to be JSON and is not. */
function brokenText(entries: readonly PlacedEntry[]): string | undefined {
  for (const { place, entry } of entries) {
    if (!isCompleted(entry)) {
      if (!isJson(entry.update)) return `${place}/update (invalid_json)`
    } else if ('Ok' in entry.result && !isJson(entry.result.Ok.json)) return `${place}/result/Ok/json (invalid_json)`
  }
  return undefined
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Place of a sequence number that another entry has, or that is still to be given. */
function strangeSequence(entries: readonly PlacedEntry[], next: number): string | undefined {
  const seen = new Set<number>()
  for (const { place, entry } of entries) {
    const sequence = sequenceOf(entry)
    if (sequence >= next || seen.has(sequence))
      return `${place}${isCompleted(entry) ? '/metadata' : ''}/sequence (not_unique)`
    seen.add(sequence)
  }
  return undefined
}

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
interface CompletedCall {
  readonly metadata: CallMetadata & {
    readonly sequence: number
    readonly dropped_updates?: number
    readonly timed_out?: true
    readonly dropped_bytes?: number
  }
  readonly result: { readonly Ok: Completed } | { readonly Err: Exclude<StoredOutcome, Completed> }
}

/** An update. */
interface Update extends CallMetadata {
  readonly sequence: number
  readonly index: number
  readonly update: string
}

interface RunningCall extends CallMetadata {
  readonly started_at: number
  readonly dropped_updates?: number
}

/** Content of the column `tool_results`. */
interface StoredDocument {
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

/**
 * PostgreSQL keeps no NUL character and no half of a surrogate pair, neither in `text` nor in `jsonb`. Both are stored as
 * an escape character (U+001B) and four hexadecimal digits, and so is the escape character itself. Nothing else changes,
 * and what `JSON.stringify` wrote as the text of a result has none of the three: those stand in there as `\u0000` already.
 */
const UNSTORABLE = /\\(?:u(0000|001b|d[89a-f][0-9a-f]{2})|.)/g
const STORED = /\\(?:u001b([0-9a-f]{4})|.)/g

/** What `JSON.stringify` wrote, as JSON that PostgreSQL can keep: such characters stand in it as escapes alone. */
export function storableJson(json: JsonText): JsonText {
  return replaced(json, UNSTORABLE, '\\u001b')
}

/** What PostgreSQL kept, as the JSON that it was. */
function restoredJson(json: JsonText): JsonText {
  return replaced(json, STORED, '\\u')
}

/** A text as PostgreSQL can keep it: two texts that differ still do. */
export function storableText(text: string): string {
  return JSON.parse(storableJson(JSON.stringify(text)))
}

/** The escapes of one kind with something else before their code. */
function replaced(json: JsonText, escapes: RegExp, start: string): JsonText {
  // JSON that holds JSON is full of escapes; most of it has none with a code.
  if (!json.includes('\\u')) return json
  return json.replace(escapes, (whole, code) => (code === undefined ? whole : `${start}${code}`))
}
