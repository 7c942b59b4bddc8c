import type { RunSummary } from './api.js'
import { parsed } from './hidden-values.js'

/** Returns the words of a search in lower case, without duplicates. */
export function searchWords(search: string): readonly string[] {
  return [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))]
}

/**
 * Returns `true` if each word occurs in one of the contents, or is the beginning of the run's id. Reads `contents` only until each word is found.
 *
 * @param words words in lower case
 * @param contents further searched data in addition to the summary, such as messages and events. Default: only the summary is searched
 */
export function hasWords(words: readonly string[], run: RunSummary, contents: Iterable<unknown> = []): boolean {
  const { id, agent, tool, title, reason, calledTools } = run
  let missing = words.filter((word) => !id.toLowerCase().startsWith(word))
  for (const texts of withFirst([agent, tool, title, reason, ...calledTools], contents)) {
    for (const text of textsIn(texts)) {
      if (missing.length === 0) return true
      const lower = text.toLowerCase()
      missing = missing.filter((word) => !lower.includes(word))
    }
  }
  return missing.length === 0
}

function* withFirst(first: unknown, others: Iterable<unknown>): Generator<unknown> {
  yield first
  yield* others
}

/** Properties of events and messages whose values are not searched: names that occur in every run, and random ids and signatures. */
const SKIPPED: ReadonlySet<string> = new Set([
  ...['type', 'kind', 'role', 'status', 'mediaType', 'schema', 'provider_data'],
  ...['id', 'toolCallId', 'tool_call_id', 'runId', 'parentRunId', 'parentToolCallId'],
])

/** Properties that contain data of tools as JSON values. */
const TOOL_DATA: ReadonlySet<string> = new Set(['data', 'example'])

/** Generates the texts in a value. Excludes images and other files, which are texts in base64. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    if (/^data:[\w-]+\//.test(value)) return
    yield value
    // A JSON text with escape sequences does not contain its values literally.
    if (value.includes('\\')) yield* literalsIn(parsed(value))
  } else if (typeof value === 'object' && value !== null) {
    const isFile = 'mediaType' in value || 'format' in value
    for (const [name, each] of Object.entries(value)) {
      if (TOOL_DATA.has(name)) {
        if (!isFile) yield* literalsIn(each)
      } else if (!SKIPPED.has(name)) yield* textsIn(each)
    }
  }
}

/** Generates the names, texts and numbers in JSON data. */
function* literalsIn(value: unknown): Generator<string> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) {
      if (!Array.isArray(value)) yield name
      yield* literalsIn(each)
    }
  } else if (value !== undefined) yield String(value)
}
