import type { RunSummary } from './api.js'
import { parsed } from './hidden-values.js'

export function searchWords(search: string): readonly string[] {
  return [...new Set(search.toLowerCase().split(/\s+/).filter(Boolean))]
}

/** @param words words in lower case */
export function hasWords(words: readonly string[], run: RunSummary, contents: Iterable<unknown> = []): boolean {
  const { id, agent, tool, title, reason, calledTools } = run
  let missing = words.filter((word) => !id.toLowerCase().startsWith(word))
  const find = (content: unknown): void => {
    const texts: string[] = []
    addTexts(content, texts)
    const text = texts.join('\n').toLowerCase()
    missing = missing.filter((word) => !text.includes(word))
  }
  find([agent, tool, title, reason, calledTools])
  for (const content of contents) {
    if (missing.length === 0) break
    find(content)
  }
  return missing.length === 0
}

/** A search skips names that every run contains, random ids, and signatures. */
const SKIPPED: ReadonlySet<string> = new Set([
  ...['type', 'kind', 'role', 'status', 'mediaType', 'schema', 'provider_data'],
  ...['id', 'toolCallId', 'tool_call_id', 'runId', 'parentRunId', 'parentToolCallId'],
])

/** JSON data of tools, such as results. A search also finds names of properties and numbers in this data. */
const TOOL_DATA: ReadonlySet<string> = new Set(['data', 'example'])

/** Skips the base64 text of images and other files. */
function addTexts(value: unknown, texts: string[]): void {
  if (typeof value === 'string') {
    if (/^data:[\w-]+\//.test(value)) return
    texts.push(value)
    // A JSON text with escape sequences does not contain its values literally.
    if (value.includes('\\')) addLiterals(parsed(value), texts)
  } else if (typeof value === 'object' && value !== null) {
    const isFile = 'mediaType' in value || 'format' in value
    for (const [name, each] of Object.entries(value)) {
      if (TOOL_DATA.has(name)) {
        if (!isFile) addLiterals(each, texts)
      } else if (!SKIPPED.has(name)) addTexts(each, texts)
    }
  }
}

/** Uses no recursion, because models can send deeply nested arguments. */
function addLiterals(data: unknown, texts: string[]): void {
  const values = [data]
  while (values.length > 0) {
    const value = values.pop()
    if (typeof value === 'object' && value !== null) {
      for (const [name, each] of Object.entries(value)) {
        if (!Array.isArray(value)) texts.push(name)
        values.push(each)
      }
    } else if (value !== undefined) texts.push(String(value))
  }
}
