import { canonicalWireText, type JsType, type TypedValue, typedText } from '../schema/typed-values.js'
import type { JsonText } from '../types/json.js'

/* Helpers of generated functions that write a validated value as JSON. Generated code imports them as `serialize`. */

/** Generated function that writes one value. */
export type Serialize = (value: any) => JsonText // any: generated functions read fields of values that were validated

const needsEscape = /["\\\p{Cc}\p{Cs}]/u

/** Writes a string with its quotes. */
export function string(value: string): JsonText {
  return `"${chars(value)}"`
}

/** Writes the characters of a string without quotes. Generated code puts the quotes into the adjacent text. */
export function chars(value: string): string {
  return needsEscape.test(value) ? JSON.stringify(value).slice(1, -1) : value
}

/** Writes any JSON value; fields keep their order. */
export function value(part: unknown): JsonText {
  return JSON.stringify(part)
}

/** Writes a `Date`, a bigint or bytes, or a string that encodes one. */
export function typed(part: TypedValue | string, type: JsType): JsonText {
  return `"${typeof part === 'string' ? canonicalWireText(type, part) : typedText(part)}"`
}

/** Writes an array with a function for its items. */
export function array(items: readonly unknown[], serialize: Serialize): JsonText {
  if (items.length === 0) return '[]'
  let written = `[${serialize(items[0])}`
  for (let index = 1; index < items.length; index++) written += `,${serialize(items[index])}`
  return `${written}]`
}

/** Writes an array of strings. */
export function strings(items: readonly any[] /* strings, as validated */): JsonText {
  if (items.length === 0) return '[]'
  let written = `["${chars(items[0])}`
  for (let index = 1; index < items.length; index++) written += `","${chars(items[index])}`
  return `${written}"]`
}

/** Writes the fields that are not in `named`, each with a leading comma. */
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

/** Writes an object. `fields` has a leading comma before each field. */
export function object(fields: string): JsonText {
  return `{${fields.slice(1)}}`
}
