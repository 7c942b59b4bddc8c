import type { JsonValue } from '../../contract/json.js'

/** How many UTF-16 code units of a received value an issue carries. */
const longest = 200

/** What an issue says about the value that was received. */
export interface Received<Value extends JsonValue> {
  readonly received: Value
  /** How long it was, where it is cut off. */
  readonly receivedLength?: number
}

/**
 * A received value as issues carry it: as it is, or, where its text has more than 200 characters, the beginning of that
 * text with `…`, and how many characters there were. The text of an array or an object is its JSON.
 */
export function boundedReceived<Value extends JsonValue>(received: Value): Received<Value | string> {
  const text = textOf(received)
  if (text.length <= longest) return { received }
  // Half a character would be no text.
  const end = /[\uD800-\uDBFF]$/.test(text.slice(0, longest)) ? longest - 1 : longest
  return { received: `${text.slice(0, end)}…`, receivedLength: text.length }
}

function textOf(value: JsonValue): string {
  if (typeof value === 'string') return value
  // Numbers and the like are always short.
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : ''
}
