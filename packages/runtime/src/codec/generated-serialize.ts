import { canonicalWireText, type JsType, type TypedValue, typedText } from '../schema/typed-values.js'
import type { JsonText } from '../types/json.js'

/* Helpers of generated functions that write a validated value as JSON. Generated code imports them as `serialize`. */

/** Generated function that returns a value as JSON. */
export type Serialize = (value: any) => JsonText // any: generated functions read fields of values that were validated

const needsEscape = /["\\\p{Cc}\p{Cs}]/u

/** Returns a string as JSON, with quotes. */
export function string(value: string): JsonText {
  return `"${chars(value)}"`
}

/** Returns a string as JSON, but without quotes. Generated code writes the quotes as part of the adjacent text. */
export function chars(value: string): string {
  return needsEscape.test(value) ? JSON.stringify(value).slice(1, -1) : value
}

/** Serializes any JSON value; fields keep their order. */
export function value(part: unknown): JsonText {
  return JSON.stringify(part)
}

/** Returns a `Date`, bigint or bytes as a JSON string. Converts a string that already encodes such a value to its canonical form. */
export function typed(part: TypedValue | string, type: JsType): JsonText {
  return `"${typeof part === 'string' ? canonicalWireText(type, part) : typedText(part)}"`
}

/** Returns an array as JSON. `serialize` converts each item. */
export function array(items: readonly unknown[], serialize: Serialize): JsonText {
  if (items.length === 0) return '[]'
  let written = `[${serialize(items[0])}`
  for (let index = 1; index < items.length; index++) written += `,${serialize(items[index])}`
  return `${written}]`
}

/** Returns an array of strings as JSON. */
export function strings(items: readonly any[] /* strings, as validated */): JsonText {
  if (items.length === 0) return '[]'
  let written = `["${chars(items[0])}`
  for (let index = 1; index < items.length; index++) written += `","${chars(items[index])}`
  return `${written}"]`
}

/**
 * Serializes the fields whose names are not in `named`. The returned text contains a comma before each field. `serialize` converts the value of each
 * field.
 */
export function rest(
  fields: Readonly<Record<string, unknown>>,
  named: readonly string[],
  serialize: Serialize,
): string {
  let written = ''
  for (const key of Object.keys(fields)) {
    if (fields[key] !== undefined && !named.includes(key)) written += `,${string(key)}:${serialize(fields[key])}`
  }
  return written
}

/** Returns an object as JSON. `fields` is the text of the fields, with a comma before each field. */
export function object(fields: string): JsonText {
  return `{${fields.slice(1)}}`
}
