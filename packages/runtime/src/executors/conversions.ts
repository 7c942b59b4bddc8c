import { resultBreaksContract, unusableArgument } from './service-executor.js'

/**
 * The bytes of a base64 string with its padding.
 *
 * @throws {ToolFailure} `domain_rejection` for anything else.
 */
export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text, 'base64')
  // Buffer skips what it cannot read; writing the bytes again shows whether it did.
  if (bytes.toString('base64') !== text) throw unusableArgument('A base64 text')
  const exact = new Uint8Array(bytes.byteLength)
  exact.set(bytes)
  return exact
}

/**
 * Bytes as base64 with padding; a `Buffer` is a `Uint8Array`.
 *
 * @throws {ToolFailure} `malformed_result` for anything but bytes.
 */
export function bytesToBase64(bytes: Uint8Array | ArrayBuffer): string {
  if (bytes instanceof ArrayBuffer) return Buffer.from(bytes).toString('base64')
  if (!(bytes instanceof Uint8Array)) throw resultBreaksContract('something other than bytes')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** `Array.isArray` that also tells a readonly array from the other alternatives of a union. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** The items of an array as a `Set`. */
export function arrayToSet<Item>(items: readonly Item[]): Set<Item> {
  return new Set(items)
}

/** The items of a `Set` in their order. */
export function setToArray<Item>(items: ReadonlySet<Item>): Item[] {
  return [...items]
}

/** The own entries of a record as a `Map`. */
export function recordToMap<Value>(record: Readonly<Record<string, Value>>): Map<string, Value> {
  return new Map(Object.entries(record))
}

/** The entries of a `Map` as a record; a key such as `__proto__` becomes an ordinary own property. */
export function mapToRecord<Value>(map: ReadonlyMap<string, Value>): Record<string, Value> {
  return Object.fromEntries(map)
}

/** A record with every value converted; a key such as `__proto__` stays an ordinary own property. */
export function mapRecord<Value, Converted>(
  record: Readonly<Record<string, Value>>,
  convert: (value: Value) => Converted,
): Record<string, Converted> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]))
}

/**
 * A date-time string (RFC 3339) as a `Date`.
 *
 * @throws {ToolFailure} `domain_rejection` when no `Date` can hold it, e.g. a leap second.
 */
export function dateTimeToDate(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw unusableArgument('A date-time')
  return date
}

/**
 * The first moment (UTC) of a date string (`2026-01-31`).
 *
 * @throws {ToolFailure} `domain_rejection` when there is no such day.
 */
export function dateToUtcMidnight(text: string): Date {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00.000Z`) : new Date(Number.NaN)
  // V8 reads the 30th of February as the 2nd of March.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text) throw unusableArgument('A date')
  return date
}

/**
 * A `Date` as a date-time string in UTC; a string passes unchanged, for methods that declare `string | Date`.
 *
 * @throws {ToolFailure} `malformed_result` for an invalid date.
 */
export function dateToDateTime(value: Date | string): string {
  if (typeof value === 'string') return value
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw resultBreaksContract('an invalid date')
  return value.toISOString()
}

/**
 * An integer as a `bigint`.
 *
 * @throws {ToolFailure} `domain_rejection` beyond the safe integers, whose digits JSON numbers lose.
 */
export function integerToBigint(value: number): bigint {
  if (!Number.isSafeInteger(value)) throw unusableArgument('An integer')
  return BigInt(value)
}

/**
 * A `bigint` as an integer; a number passes unchanged.
 *
 * @throws {ToolFailure} `malformed_result` beyond the safe integers.
 */
export function bigintToInteger(value: bigint | number): number {
  if (typeof value === 'number') return value
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw resultBreaksContract('an integer that JSON cannot carry')
  return number
}

/** A `bigint` in decimal digits. */
export function bigintToString(value: bigint): string {
  return value.toString()
}

/**
 * A URI as a `URL`.
 *
 * @throws {ToolFailure} `domain_rejection` for a URI that is not a URL.
 */
export function stringToUrl(text: string): URL {
  if (!URL.canParse(text)) throw unusableArgument('A URL')
  return new URL(text)
}

/** The text of a `URL`; a string passes unchanged. */
export function urlToString(value: URL | string): string {
  return typeof value === 'string' ? value : value.href
}
