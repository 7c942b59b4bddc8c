import type { AttributeValue } from '@opentelemetry/api'
import type { JsonValue } from '../contract/json.js'

/** How many characters of one text a span keeps. */
const MAX_TEXT = 8_192

/** How long a list may be that is kept as a list. */
const MAX_LIST = 128

/** A text of bounded length; what was cut is shown by `…`. */
export function boundedText(text: string, limit: number = MAX_TEXT): string {
  if (text.length <= limit) return text
  // Half of a surrogate pair cannot be exported.
  return `${text.slice(0, limit - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** JSON as OpenTelemetry takes it: texts, numbers, booleans and lists of one of them as they are, the rest as JSON text. */
export function attributeValue(value: JsonValue | undefined): AttributeValue | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return boundedText(value)
  if (typeof value !== 'object') return value
  return plainList(value) ?? jsonText(value)
}

function jsonText(value: object): string | undefined {
  try {
    return boundedText(JSON.stringify(value))
  } catch {
    // Plain JavaScript gave what is no JSON: the other attributes still count.
    return undefined
  }
}

function plainList(value: object): AttributeValue | undefined {
  if (!Array.isArray(value) || value.length > MAX_LIST) return undefined
  const list: readonly unknown[] = value
  if (list.every((each) => typeof each === 'string')) return list.map((each) => boundedText(each))
  if (list.every((each) => typeof each === 'number')) return [...list]
  return list.every((each) => typeof each === 'boolean') ? [...list] : undefined
}
