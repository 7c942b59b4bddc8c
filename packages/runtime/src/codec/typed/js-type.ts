import { bigintFromText, bigintText } from './bigints.js'
import { bytesFromText, bytesText, isBytes } from './bytes.js'
import { dateFromText, dateText, isDateValue } from './dates.js'

/** The JavaScript types that `x-js` can give to a value that travels as text. */
export type JsType = 'Date' | 'bigint' | 'Uint8Array'

/** A value of one of these types. */
export type TypedValue = Date | bigint | Uint8Array

/** Every {@link JsType}. */
export const jsTypes: readonly JsType[] = ['Date', 'bigint', 'Uint8Array']

/** What issues call the wire form of a type; never the JavaScript type, of which a model knows nothing. */
export const wireFormats: { readonly [Type in JsType]: string } = {
  Date: 'date-time',
  bigint: 'decimal integer',
  Uint8Array: 'base64',
}

/** Whether a value is a typed one, also of another realm; a `Buffer` is bytes. Never throws. */
export function isTyped(value: unknown): value is TypedValue {
  if (typeof value === 'bigint') return true
  return typeof value === 'object' && value !== null && (isDateValue(value) || isBytes(value))
}

/** Which typed value this is. */
export function jsTypeOf(value: TypedValue): JsType {
  if (typeof value === 'bigint') return 'bigint'
  return isDateValue(value) ? 'Date' : 'Uint8Array'
}

/** Reads a wire form; `undefined` where the text is none. Takes time linear in the length of the text. */
export function typedFromText(type: JsType, text: string): TypedValue | undefined {
  switch (type) {
    case 'Date':
      return dateFromText(text)
    case 'bigint':
      return bigintFromText(text)
    case 'Uint8Array':
      return bytesFromText(text)
  }
}

/** Writes a typed value in its wire form; `undefined` where it has none, such as an invalid date. */
export function typedText(value: TypedValue): string | undefined {
  if (typeof value === 'bigint') return bigintText(value)
  return isDateValue(value) ? dateText(value) : bytesText(value)
}

/** Whether a text is a wire form. */
export function isWireText(type: JsType, text: string): boolean {
  return typedFromText(type, text) !== undefined
}

/** The wire form that is written for one that was read: of all texts for one moment, the one in UTC. */
export function canonicalWireText(type: JsType, text: string): string {
  // A number and bytes have one wire form each.
  const date = type === 'Date' ? dateFromText(text) : undefined
  return (date && dateText(date)) ?? text
}

/** A copy of a typed value that shares nothing with it; `undefined` for everything else. */
export function cloneTyped(value: object): Date | Uint8Array | undefined {
  if (value instanceof Date) return new Date(value)
  return value instanceof Uint8Array ? new Uint8Array(value) : undefined
}
