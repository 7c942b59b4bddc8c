import { completedOutcome, count, failedOutcome, fields, suspendedOutcome, text } from '../agents/stored-outcome.js'
import { peek } from '../call/tool-failure.js'
import { shapeIssues } from '../chat/messages.js'
import { payloadCodec } from '../codec/codecs.js'
import { parseJson } from '../schema/parse-json.js'
import type { Codec, Issue } from '../types/codec.js'
import type { JsonText, Mutable } from '../types/json.js'
import type {
  SessionCall,
  SessionCompletion,
  SessionEntry,
  SessionUpdate,
  StoredCall,
  StoredMessage,
  StoredSession,
} from '../types/session.js'
import { SessionError } from './stores.js'

// The functions that write a document define the types of its parts.
type CallMetadata = ReturnType<typeof metadataOf>
type CompletedCall = ReturnType<typeof completedCall>
type Update = ReturnType<typeof update>
type StoredDocument = ReturnType<typeof storedDocument>
type StoredItem = CompletedCall | Update | StoredMessage

const strings = { type: 'array', items: text } as const
const sequence = { type: 'integer', minimum: 0 } as const
const flag = { type: 'boolean' } as const
const call = { name: text, call_id: text, is_async: flag, is_run: flag } as const

const completedCallSchema = fields({
  metadata: fields(
    { ...call, sequence },
    { id: text, dropped_updates: count, timed_out: { const: true }, dropped_bytes: count },
  ),
  result: {
    anyOf: [
      fields({ Ok: completedOutcome }),
      // A nested run is validated when it is resumed.
      fields({ Err: { anyOf: [failedOutcome, suspendedOutcome({ type: 'object' })] } }),
    ],
  },
})
const updateSchema = fields({ ...call, sequence, index: count, update: text }, { id: text })
const messageSchema = fields({ sequence, message: text })
const runningCallSchema = fields({ ...call, started_at: count }, { id: text, dropped_updates: count })

const approvalSchema = {
  ...fields({ tool: text, at: count }, { agent: text, by: text }),
  anyOf: [
    fields({ rule: { const: 'tool' } }),
    fields({ rule: { const: 'call' }, arguments: text }),
    fields({ rule: { const: 'fields' }, fields: { type: 'object', minProperties: 1, additionalProperties: text } }),
  ],
}

const documentCodec: Codec<never, StoredDocument> = payloadCodec({
  schema: fields(
    {
      version: { enum: [1, 2, 3] },
      namespaces: strings,
      available_tools: strings,
      completed_calls: { type: 'array', items: completedCallSchema },
      updates: { type: 'array', items: updateSchema },
      running_calls: { type: 'array', items: runningCallSchema },
      next_sequence: sequence,
    },
    {
      entry_sequences: { type: 'array', items: sequence },
      messages: { type: 'array', items: messageSchema },
      sensitive: text,
      approvals: { type: 'array', items: approvalSchema },
    },
  ),
  unknown: 'keep',
})
const entryCodec: Codec<never, StoredItem> = payloadCodec({
  schema: { anyOf: [completedCallSchema, updateSchema, messageSchema] },
  unknown: 'keep',
})

const VERSION = 3

const MAX_LOCATIONS = 3

/**
 * Error messages contain the location and the kind of the problem, but no stored content.
 *
 * @param rows contents of the column `entry`, by sequence number; rows that the document does not list are ignored, because they come from a save
 * that was not completed
 * @returns the session, and the sequence numbers of entries with their own rows
 * @throws {SessionError} `newer_state` or `corrupt_state`
 */
export function readDocument(
  json: string,
  rows: ReadonlyMap<number, string>,
  sessionId: string,
  userId: string,
): { readonly session: StoredSession; readonly sequences: readonly number[] } {
  const content = parsedColumn(json)
  const version = peek(content, 'version')
  if (typeof version === 'number' && version > VERSION) {
    throw new SessionError(
      'newer_state',
      `The stored session '${sessionId}' has version ${version}, but this runtime supports versions up to ${VERSION}. Open it with the runtime that stored it, or a newer one.`,
    )
  }
  const decoded = documentCodec.decodeValue(content)
  if (!decoded.ok) throw corrupt(sessionId, locationsOf(decoded.issues, 'tool_results'))
  const document = decoded.value
  const sequences = document.entry_sequences ?? []
  const located: readonly (readonly [location: string, StoredItem])[] = [
    ...document.updates.map((entry, index) => [`tool_results/updates/${index}`, entry] as const),
    ...document.completed_calls.map((entry, index) => [`tool_results/completed_calls/${index}`, entry] as const),
    ...(document.messages ?? []).map((message, index) => [`tool_results/messages/${index}`, message] as const),
    ...sequences.map(
      (sequence) => [`entries/${sequence}`, readEntry(rows.get(sequence), sequence, sessionId)] as const,
    ),
  ]
  const seen = new Set<number>()
  const entries: SessionEntry[] = []
  const messages: StoredMessage[] = []
  for (const [location, stored] of located) {
    const sequence = sequenceOf(stored)
    if (sequence >= document.next_sequence || seen.has(sequence))
      throw corrupt(sessionId, [`${location}${'metadata' in stored ? '/metadata' : ''}/sequence (not_unique)`])
    seen.add(sequence)
    if ('message' in stored) {
      if (!isChatMessage(stored)) throw corrupt(sessionId, [`${location}/message (invalid_message)`])
      messages.push({ sequence, message: stored.message })
      continue
    }
    const entry = entryOf(stored)
    if (entry.kind === 'update' && !parseJson(entry.update).ok)
      throw corrupt(sessionId, [`${location}/update (invalid_json)`])
    if (entry.kind === 'completed' && entry.outcome.status === 'completed' && !parseJson(entry.outcome.json).ok)
      throw corrupt(sessionId, [`${location}/result/Ok/json (invalid_json)`])
    entries.push(entry)
  }
  const bySequence = (one: { readonly sequence: number }, other: { readonly sequence: number }): number =>
    one.sequence - other.sequence
  const session: StoredSession = {
    version: 1,
    sessionId,
    userId,
    namespaces: document.namespaces,
    availableTools: document.available_tools,
    entries: entries.sort(bySequence),
    running: document.running_calls.map((running): StoredCall => {
      const { started_at: startedAt, dropped_updates: droppedUpdates } = running
      return { ...callOf(running), startedAt, ...(droppedUpdates !== undefined && { droppedUpdates }) }
    }),
    ...(document.sensitive !== undefined && { sensitive: document.sensitive }),
    ...(messages.length > 0 && { messages: messages.sort(bySequence) }),
    ...(document.approvals !== undefined && { approvals: document.approvals }),
    nextSequence: document.next_sequence,
  }
  return { session, sequences }
}

function sequenceOf(stored: StoredItem): number {
  return 'metadata' in stored ? stored.metadata.sequence : stored.sequence
}

function isChatMessage({ message }: StoredMessage): boolean {
  const parsed = parseJson(message)
  return parsed.ok && shapeIssues(parsed.value).length === 0
}

function readEntry(json: string | undefined, sequence: number, sessionId: string): StoredItem {
  const location = `entries/${sequence}`
  if (json === undefined) throw corrupt(sessionId, [`${location} (missing)`])
  const decoded = entryCodec.decodeValue(parsedColumn(json))
  if (!decoded.ok) throw corrupt(sessionId, locationsOf(decoded.issues, location))
  if (sequenceOf(decoded.value) !== sequence) throw corrupt(sessionId, [`${location} (other_sequence)`])
  return decoded.value
}

export function readLoggedEntry(json: string, sequence: number, sessionId: string): SessionEntry {
  const stored = readEntry(json, sequence, sessionId)
  if ('message' in stored) throw corrupt(sessionId, [`log/${sequence} (message)`])
  return entryOf(stored)
}

export function corrupt(sessionId: string, locations: readonly string[]): SessionError {
  const named = [...new Set(locations)].slice(0, MAX_LOCATIONS).join(', ')
  return new SessionError(
    'corrupt_state',
    `The stored session '${sessionId}' is invalid at ${named}. It was not changed. Repair or delete its row, then open the session again.`,
  )
}

function parsedColumn(json: string): unknown {
  const parsed = parseJson(storedJson(json))
  return parsed.ok ? parsed.value : undefined
}

function locationsOf(issues: readonly Issue[], base: string): readonly string[] {
  return issues.flatMap((issue) =>
    issue.constraint === 'no_variant_matches' && issue.nearest !== undefined
      ? locationsOf(issue.nearest, base)
      : [`${base}${issue.path} (${issue.constraint})`],
  )
}

function callOf({ name, id, call_id, is_run }: CallMetadata): SessionCall {
  const call: Mutable<SessionCall> = { callId: call_id, tool: name, isRun: is_run }
  if (id !== undefined) call.toolCallId = id
  return call
}

function entryOf(stored: CompletedCall | Update): SessionEntry {
  if (!('metadata' in stored)) {
    const { sequence, index, update } = stored
    return { kind: 'update', ...callOf(stored), sequence, index, update }
  }
  const { metadata, result } = stored
  const completion: Mutable<SessionCompletion> = {
    kind: 'completed',
    ...callOf(metadata),
    sequence: metadata.sequence,
    outcome: 'Ok' in result ? result.Ok : result.Err,
  }
  if (metadata.dropped_updates !== undefined) completion.droppedUpdates = metadata.dropped_updates
  if (metadata.timed_out !== undefined) completion.timedOut = metadata.timed_out
  if (metadata.dropped_bytes !== undefined) completion.droppedBytes = metadata.dropped_bytes
  return completion
}

/**
 * @param inline entries and messages that are stored inside the column `tool_results`
 * @param sequences sequence numbers of all other entries and messages, which have their own rows
 */
export function documentOf(
  session: StoredSession,
  inline: readonly (SessionEntry | StoredMessage)[],
  sequences: readonly number[],
): object {
  return storedDocument(session, inline, sequences)
}

function storedDocument(
  { namespaces, availableTools, running, messages = [], approvals, nextSequence, sensitive }: StoredSession,
  inline: readonly (SessionEntry | StoredMessage)[],
  sequences: readonly number[],
) {
  const entries = inline.flatMap((item) => ('message' in item ? [] : [item]))
  return {
    // Version 3 if there are messages, and version 2 if entries have their own rows, so that older runtimes reject the session.
    version: messages.length > 0 ? 3 : sequences.length > 0 ? 2 : 1,
    namespaces,
    available_tools: availableTools,
    completed_calls: entries.flatMap((entry) => (entry.kind === 'completed' ? [completedCall(entry)] : [])),
    updates: entries.flatMap((entry) => (entry.kind === 'update' ? [update(entry)] : [])),
    ...(messages.length > 0 && { messages: inline.filter((item) => 'message' in item) }),
    running_calls: running.map((call) => ({
      ...metadataOf(call),
      started_at: call.startedAt,
      dropped_updates: call.droppedUpdates,
    })),
    ...(approvals !== undefined && { approvals }),
    next_sequence: nextSequence,
    ...(sensitive !== undefined && { sensitive }),
    ...(sequences.length > 0 && { entry_sequences: sequences }),
  }
}

export function entryDocument(entry: SessionEntry | StoredMessage): object {
  if ('message' in entry) return entry
  return entry.kind === 'completed' ? completedCall(entry) : update(entry)
}

function update(entry: SessionUpdate) {
  const { sequence, index, update } = entry
  return { ...metadataOf(entry), sequence, index, update }
}

/** Stores the result's JSON as a string, because `jsonb` would change white space and key order. */
function completedCall(entry: SessionCompletion) {
  const { sequence, outcome, droppedUpdates, timedOut, droppedBytes } = entry
  return {
    metadata: {
      ...metadataOf(entry),
      sequence,
      dropped_updates: droppedUpdates,
      timed_out: timedOut,
      dropped_bytes: droppedBytes,
    },
    result: outcome.status === 'completed' ? { Ok: outcome } : { Err: outcome },
  }
}

/**
 * `id` is the call id of the model, `call_id` is the call id in the session. `is_async` is always `true`, because sessions store only streaming
 * calls.
 */
function metadataOf({ tool, toolCallId, callId, isRun }: SessionCall) {
  return { name: tool, id: toolCallId, call_id: callId, is_async: true, is_run: isRun }
}

/**
 * Matches the JSON escapes of characters that PostgreSQL cannot store in `text` or `jsonb`: NUL characters and unpaired surrogates. The store
 * replaces each of these characters, and U+001B itself, by U+001B and four hexadecimal digits. The JSON of a result does not change: the store writes
 * this JSON as a string inside other JSON, so that escapes begin with two backslashes.
 */
const UNSTORABLE = /\\(?:u(0000|001b|d[89a-f][0-9a-f]{2})|.)/g
const STORED = /\\(?:u001b([0-9a-f]{4})|.)/g

export function storableJson(json: JsonText): JsonText {
  return replaced(json, UNSTORABLE, '\\u001b')
}

/** Different strings have different results, so that the result can be used as a key. */
export function storableText(text: string): string {
  return JSON.parse(storableJson(JSON.stringify(text)))
}

export function storedJson(json: JsonText): JsonText {
  return replaced(json, STORED, '\\u')
}

export function storedText(text: string): string {
  return JSON.parse(storedJson(JSON.stringify(text)))
}

function replaced(json: JsonText, escapes: RegExp, prefix: string): JsonText {
  // Fast path: JSON inside JSON has many escapes, but seldom `\u`.
  if (!json.includes('\\u')) return json
  return json.replace(escapes, (whole, code) => (code === undefined ? whole : `${prefix}${code}`))
}
