import { isDateTime } from './date-formats.js'

/** The longest text of a bigint, its sign included: reading and writing longer ones takes more than linear time. */
const longestBigintText = 1000

const decimal = /^(?:0|-?[1-9][0-9]*)$/
const above = 10n ** BigInt(longestBigintText)
const below = -(10n ** BigInt(longestBigintText - 1))

/**
 * Decimal text as a bigint; `undefined` for any other text, for more than 1000 characters, and for
 * `-0`, which is no bigint: it would come back as `0`.
 */
export function bigintFromText(text: string): bigint | undefined {
  return text.length <= longestBigintText && decimal.test(text) ? BigInt(text) : undefined
}

/** A bigint as decimal text; `undefined` where that has more than 1000 characters. */
export function bigintText(value: bigint): string | undefined {
  return value < above && value > below ? value.toString() : undefined
}

/** The getter by which every typed array, and nothing else, says its own name, whatever a subclass calls itself. */
const viewName: (() => unknown) | undefined = Object.getOwnPropertyDescriptor(
  Object.getPrototypeOf(Uint8Array.prototype),
  Symbol.toStringTag,
)?.get
/** Number of bytes that are converted at once: engines limit the arguments of a call. */
const chunk = 8192
const base64Digits = /^[A-Za-z0-9+/]*={0,2}$/
/** The end of a string without padding, or whose last digit has no bits beyond the last byte. */
const base64End = /(?:^|[^=]|[AEIMQUYcgkosw048]=|[AQgw]==)$/

/**
 * The bytes of a base64 text (RFC 4648, section 4) with its padding; `undefined` for any other text: other alphabets,
 * white space, missing padding, bits beyond the last byte. So every bytes have exactly one text.
 */
export function bytesFromText(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !base64Digits.test(text) || !base64End.test(text)) return undefined
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index)
  return bytes
}

/** Bytes as base64 with padding. */
export function bytesText(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += chunk) {
    binary += String.fromCharCode(...bytes.subarray(start, start + chunk))
  }
  return btoa(binary)
}

/** Returns whether a value is a `Uint8Array` (a `Buffer` is one), of any realm. */
function isBytes(value: object): value is Uint8Array {
  return ArrayBuffer.isView(value) && viewName?.call(value) === 'Uint8Array'
}

/** The first moment of the year 0000 and the last millisecond of 9999: what RFC 3339 can write. */
const first = -62_167_219_200_000
const last = 253_402_300_799_999

/**
 * A `date-time` of RFC 3339 as a `Date`; digits below milliseconds are cut off. `undefined` for any other text, and
 * where no `Date` can hold the moment or its UTC form could not be written: leap seconds, years outside 0000 to 9999.
 *
 * @example
 * dateFromText('2026-01-31T09:30:00+01:00')?.toISOString() // '2026-01-31T08:30:00.000Z'
 */
export function dateFromText(text: string): Date | undefined {
  if (!isDateTime(text)) return undefined
  const zone = /[zZ]$/.test(text) ? 1 : 6
  const fraction = text.slice(19, -zone).slice(1, 4).padEnd(3, '0')
  // Only this form is sure to be read alike by every engine. A leap second is no number here.
  const local = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`)
  const time = local - (zone === 1 ? 0 : offsetOf(text.slice(-6)))
  return time >= first && time <= last ? new Date(time) : undefined
}

/**
 * A `Date` as date-time text in UTC with milliseconds; `undefined` for an invalid date and for years outside 0000 to
 * 9999.
 */
export function dateText(value: Date): string | undefined {
  const time = Date.prototype.getTime.call(value)
  return time >= first && time <= last ? new Date(time).toISOString() : undefined
}

/** Returns whether a value is a `Date`, of any realm. */
function isDateValue(value: object): value is Date {
  try {
    if (Object.prototype.toString.call(value) !== '[object Date]') return false
    Date.prototype.getTime.call(value)
    return true
  } catch {
    // Any object may call itself a Date; the engine throws for all but dates.
    return false
  }
}

function offsetOf(text: string): number {
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6))
  return (text.startsWith('-') ? -minutes : minutes) * 60_000
}

/** The JavaScript types that `x-js` can give to a value that travels as text. */
export type JsType = 'Date' | 'bigint' | 'Uint8Array'

/** A value of one of these types. */
export type TypedValue = Date | bigint | Uint8Array

/** Every {@link JsType}. */
export const jsTypes: readonly JsType[] = ['Date', 'bigint', 'Uint8Array']

/** Names of the wire forms in issues. Models do not know the JavaScript types. */
export const wireFormats: { readonly [Type in JsType]: string } = {
  Date: 'date-time',
  bigint: 'decimal integer',
  Uint8Array: 'base64',
}

/** Returns whether a value is a typed one, also of another realm; a `Buffer` is bytes. Never throws. */
export function isTyped(value: unknown): value is TypedValue {
  if (typeof value === 'bigint') return true
  return typeof value === 'object' && value !== null && (isDateValue(value) || isBytes(value))
}

/** Returns the type of a typed value. */
export function jsTypeOf(value: TypedValue): JsType {
  if (typeof value === 'bigint') return 'bigint'
  return isDateValue(value) ? 'Date' : 'Uint8Array'
}

/** Parses a wire form; `undefined` for any other text. Takes time linear in the length of the text. */
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

/** Returns whether a text is a wire form. */
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
