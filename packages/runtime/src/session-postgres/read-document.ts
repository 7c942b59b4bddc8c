import { payloadCodec } from '../codec/payload-codec.js'
import type { Codec } from '../contract/codec.js'
import type { Issue } from '../contract/issue.js'
import { peek } from '../execute/failure/peek.js'
import { SessionError } from '../session/session-error.js'
import { documentSchema, entrySchema } from './document-schema.js'
import { restoredJson } from './storable-json.js'
import type { CompletedCall, StoredDocument, Update } from './stored-document.js'

const documentCodec: Codec<never, StoredDocument> = payloadCodec({ schema: documentSchema, unknown: 'keep' })
const entryCodec: Codec<never, CompletedCall | Update> = payloadCodec({ schema: entrySchema, unknown: 'keep' })

/** Maximum number of places that an error names. */
const MAX_PLACES = 3

/** Newest version of a document that this runtime reads. */
const VERSION = 2

/** An entry that has a row of its own. */
export interface EntryRow {
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
