import type { JsonText } from '../contract/json.js'

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
export function restoredJson(json: JsonText): JsonText {
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
