import { canonicalWireText, type JsType, type TypedValue, typedText } from '../schema/typed-values.js'
import type { JsonText } from '../types/json.js'

/*
 * The words of which generated writers are made; generated code imports them as `json`. They write values that a check
 * has accepted.
 */

/** Writes one value, as generated. */
export type Write = (value: any) => JsonText // any: generated writers read fields of what was checked

const needsEscape = /["\\\p{Cc}\p{Cs}]/u

/** A text in quotes. */
export function text(value: string): JsonText {
  return `"${chars(value)}"`
}

/** The characters of a text, as they stand between quotes. Generated code writes the quotes with what is beside them. */
export function chars(value: string): string {
  return needsEscape.test(value) ? JSON.stringify(value).slice(1, -1) : value
}

/** Any JSON value, its fields in their order. */
export function value(part: unknown): JsonText {
  return JSON.stringify(part)
}

/** A value of a JavaScript type, or its wire form. */
export function typed(part: TypedValue | string, type: JsType): JsonText {
  return `"${typeof part === 'string' ? canonicalWireText(type, part) : typedText(part)}"`
}

/** The items of an array. */
export function list(items: readonly unknown[], write: Write): JsonText {
  if (items.length === 0) return '[]'
  let written = `[${write(items[0])}`
  for (let index = 1; index < items.length; index++) written += `,${write(items[index])}`
  return `${written}]`
}

/** An array of texts. */
export function texts(items: readonly any[] /* texts, as the check found */): JsonText {
  if (items.length === 0) return '[]'
  let written = `["${chars(items[0])}`
  for (let index = 1; index < items.length; index++) written += `","${chars(items[index])}`
  return `${written}"]`
}

/** The fields of an object but the named ones, each with a comma before it. */
export function others(fields: Readonly<Record<string, unknown>>, named: readonly string[], write: Write): string {
  let written = ''
  for (const key of Object.keys(fields)) {
    if (fields[key] !== undefined && !named.includes(key)) written += `,${text(key)}:${write(fields[key])}`
  }
  return written
}

/** An object of fields that each have a comma before them. */
export function object(fields: string): JsonText {
  return `{${fields.slice(1)}}`
}
