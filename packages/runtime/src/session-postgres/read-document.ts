import { payloadCodec } from '../codec/payload-codec.js'
import type { Codec } from '../contract/codec.js'
import type { Issue } from '../contract/issue.js'
import { peek } from '../execute/failure/peek.js'
import { SessionError } from '../session/session-error.js'
import { documentSchema } from './document-schema.js'
import { restoredJson } from './storable-json.js'
import type { StoredDocument } from './stored-document.js'

const codec: Codec<never, StoredDocument> = payloadCodec({ schema: documentSchema, unknown: 'keep' })

/** How many faults of a document are told. */
const MAX_TOLD = 3

/**
 * A stored document as the runtime can trust it. What is wrong is told by its place and kind alone, never with what stands
 * there.
 *
 * @param json the column `tool_results` as text
 * @throws {SessionError} `newer_state` or `corrupt_state`.
 */
export function readDocument(json: string, sessionId: string): StoredDocument {
  const given = parsed(json)
  const version = peek(given, 'version')
  if (typeof version === 'number' && version > 1) {
    throw new SessionError(
      'newer_state',
      `The stored session '${sessionId}' has the version ${version}, and this runtime knows version 1: open it with the runtime that stored it, or a newer one.`,
    )
  }
  const decoded = codec.decodeValue(given)
  if (!decoded.ok) throw corrupt(sessionId, decoded.issues.flatMap(placesOf))
  const place = strangeSequence(decoded.value) ?? brokenText(decoded.value)
  if (place !== undefined) throw corrupt(sessionId, [place])
  return decoded.value
}

/** The error for a stored session that is none. */
export function corrupt(sessionId: string, places: readonly string[]): SessionError {
  const told = [...new Set(places)].slice(0, MAX_TOLD).join(', ')
  return new SessionError(
    'corrupt_state',
    `The stored session '${sessionId}' cannot be read, at ${told}. It was left as it is: repair its row, or delete it, and open the session again.`,
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

function placesOf(issue: Issue): readonly string[] {
  if (issue.constraint === 'no_variant_matches' && issue.nearest !== undefined) return issue.nearest.flatMap(placesOf)
  return [`tool_results${issue.path} (${issue.constraint})`]
}

/** Where a text stands that is to be JSON and is none. */
function brokenText({ completed_calls, updates }: StoredDocument): string | undefined {
  const update = updates.findIndex((each) => !isJson(each.update))
  if (update >= 0) return `tool_results/updates/${update}/update (invalid_json)`
  const call = completed_calls.findIndex(({ result }) => 'Ok' in result && !isJson(result.Ok.json))
  return call < 0 ? undefined : `tool_results/completed_calls/${call}/result/Ok/json (invalid_json)`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Where a sequence number stands that another entry has, or that is still to be given. */
function strangeSequence({ completed_calls, updates, next_sequence }: StoredDocument): string | undefined {
  const seen = new Set<number>()
  const isStrange = (sequence: number): boolean => sequence >= next_sequence || seen.size === seen.add(sequence).size
  const update = updates.findIndex(({ sequence }) => isStrange(sequence))
  if (update >= 0) return `tool_results/updates/${update}/sequence (not_unique)`
  const call = completed_calls.findIndex(({ metadata }) => isStrange(metadata.sequence))
  return call < 0 ? undefined : `tool_results/completed_calls/${call}/metadata/sequence (not_unique)`
}
