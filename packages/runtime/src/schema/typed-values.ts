import { isDateTime } from './date-formats.js'

/** Includes the sign. The limit is necessary because the time of a conversion grows faster than the number of characters. */
const longestBigintText = 1000

const decimal = /^(?:0|-?[1-9][0-9]*)$/
const above = 10n ** BigInt(longestBigintText)
const below = -(10n ** BigInt(longestBigintText - 1))

export function bigintFromText(text: string): bigint | undefined {
  return text.length <= longestBigintText && decimal.test(text) ? BigInt(text) : undefined
}

export function bigintText(value: bigint): string | undefined {
  return value < above && value > below ? value.toString() : undefined
}

/** Returns the class name of a typed array, even for subclasses and for objects of other realms. */
const viewName: (() => unknown) | undefined = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get
/** JavaScript engines limit the number of arguments of `String.fromCharCode`. */
const chunk = 8192
const base64Digits = /^[A-Za-z0-9+/]*={0,2}$/
/** Matches the end of valid base64: no padding, or padding (`=`) after a character whose unused bits are 0. */
const base64End = /(?:^|[^=]|[AEIMQUYcgkosw048]=|[AQgw]==)$/

/**
 * Returns `undefined` for other alphabets, white space, missing padding, and unused bits that are not 0. Each byte sequence therefore has exactly one
 * string.
 */
export function bytesFromText(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !base64Digits.test(text) || !base64End.test(text)) return undefined
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return bytes
}

export function bytesText(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += chunk) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunk))
  }
  return btoa(binary)
}

function isBytes(value: object): value is Uint8Array {
  return ArrayBuffer.isView(value) && viewName?.call(value) === 'Uint8Array'
}

/** Range of RFC 3339 in milliseconds since the Unix epoch: start of the year 0000, and end of the year 9999. */
const first = -62_167_219_200_000
const last = 253_402_300_799_999

/** Removes digits after the milliseconds. Returns `undefined` for leap seconds, and for UTC years outside 0000 to 9999. */
export function dateFromText(text: string): Date | undefined {
  if (!isDateTime(text)) return undefined
  const zone = /[zZ]$/.test(text) ? 1 : 6
  const fraction = text.slice(19, -zone).slice(1, 4).padEnd(3, '0')
  // All engines parse this form in the same way. A leap second gives `NaN`.
  const local = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`)
  const time = local - (zone === 1 ? 0 : offsetOf(text.slice(-6)))
  return time >= first && time <= last ? new Date(time) : undefined
}

export function dateText(value: Date): string | undefined {
  const time = Date.prototype.getTime.call(value)
  return time >= first && time <= last ? new Date(time).toISOString() : undefined
}

function isDateValue(value: object): value is Date {
  try {
    if (Object.prototype.toString.call(value) !== '[object Date]') return false
    Date.prototype.getTime.call(value)
    return true
  } catch {
    // Any object can have the tag `Date`; the method throws for all but dates.
    return false
  }
}

function offsetOf(text: string): number {
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6))
  return (text.startsWith('-') ? -minutes : minutes) * 60_000
}

/** JavaScript types that the keyword `x-js` can set for a JSON string. */
export type JsType = 'Date' | 'bigint' | 'Uint8Array'

export type TypedValue = Date | bigint | Uint8Array

export const jsTypes: readonly JsType[] = ['Date', 'bigint', 'Uint8Array']

/** Issues contain these names, because models read issues and write strings. */
export const wireFormats: { readonly [Type in JsType]: string } = {
  Date: 'date-time',
  bigint: 'decimal integer',
  Uint8Array: 'base64',
}

/**
 * Returns whether a value is a `Date`, bigint or `Uint8Array`, including a `Buffer` and objects of other realms. Never
 * throws an error.
 */
export function isTyped(value: unknown): value is TypedValue {
  if (typeof value === 'bigint') return true
  return typeof value === 'object' && value !== null && (isDateValue(value) || isBytes(value))
}

/** Returns the name of the JavaScript type: `Date`, `bigint` or `Uint8Array`. */
export function jsTypeOf(value: TypedValue): JsType {
  if (typeof value === 'bigint') return 'bigint'
  return isDateValue(value) ? 'Date' : 'Uint8Array'
}

/** Parses a string as a value of `type`, in linear time. Returns `undefined` if the string is invalid for this type. */
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

/**
 * Returns the string form of a date, bigint or byte array. Returns `undefined` for a value without a string form, such
 * as an invalid date.
 */
export function typedText(value: TypedValue): string | undefined {
  if (typeof value === 'bigint') return bigintText(value)
  return isDateValue(value) ? dateText(value) : bytesText(value)
}

export function isWireText(type: JsType, text: string): boolean {
  return typedFromText(type, text) !== undefined
}

/** Returns the canonical form of `text`, which must be valid for `type`. Converts dates to UTC. */
export function canonicalWireText(type: JsType, text: string): string {
  // Bigints and bytes have only one string form.
  const date = type === 'Date' ? dateFromText(text) : undefined
  return (date && dateText(date)) ?? text
}

export function cloneTyped(value: object): Date | Uint8Array | undefined {
  if (value instanceof Date) return new Date(value)
  return value instanceof Uint8Array ? new Uint8Array(value) : undefined
}
