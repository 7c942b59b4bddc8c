import { ToolFailure } from '../call/tool-failure.js'
import { resultBreaksContract } from './service-executor.js'

/** The failure of an argument that passed the codec and that the method's type cannot hold. */
function unusableArgument(what: string): ToolFailure {
  return new ToolFailure(`${what} in the arguments cannot be used by the service.`, { action: 'correct_call' })
}

/**
 * Decodes a base64 string with its padding.
 *
 * @throws {ToolFailure} `domain_rejection` for anything else.
 */
export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text, 'base64')
  // Buffer skips what it cannot read; writing the bytes again shows whether it did.
  if (bytes.toString('base64') !== text) throw unusableArgument('A base64 text')
  return new Uint8Array(bytes)
}

/**
 * Encodes bytes as base64 with padding.
 *
 * @throws {ToolFailure} `malformed_result` for anything but bytes.
 */
export function bytesToBase64(bytes: Uint8Array | ArrayBuffer): string {
  if (bytes instanceof ArrayBuffer) return Buffer.from(bytes).toString('base64')
  if (!(bytes instanceof Uint8Array)) throw resultBreaksContract('something other than bytes')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** `Array.isArray` that also narrows a union with a readonly array. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Converts an array to a `Set`. */
export function arrayToSet<Item>(items: readonly Item[]): Set<Item> {
  return new Set(items)
}

/** Converts a `Set` to an array in its order. */
export function setToArray<Item>(items: ReadonlySet<Item>): Item[] {
  return [...items]
}

/** Converts the own entries of a record to a `Map`. */
export function recordToMap<Value>(record: Readonly<Record<string, Value>>): Map<string, Value> {
  return new Map(Object.entries(record))
}

/** Converts a `Map` to a record; a key such as `__proto__` becomes an ordinary own property. */
export function mapToRecord<Value>(map: ReadonlyMap<string, Value>): Record<string, Value> {
  return Object.fromEntries(map)
}

/** Converts every value of a record; a key such as `__proto__` stays an ordinary own property. */
export function mapRecord<Value, Converted>(
  record: Readonly<Record<string, Value>>,
  convert: (value: Value) => Converted,
): Record<string, Converted> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]))
}

/**
 * Converts a date-time string (RFC 3339) to a `Date`.
 *
 * @throws {ToolFailure} `domain_rejection` when no `Date` can hold it, e.g. a leap second.
 */
export function dateTimeToDate(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw unusableArgument('A date-time')
  return date
}

/**
 * Converts a date string (`2026-01-31`) to the first moment of that day in UTC.
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
 * Converts a `Date` to a date-time string in UTC; a string passes unchanged, for methods that declare `string | Date`.
 *
 * @throws {ToolFailure} `malformed_result` for an invalid date.
 */
export function dateToDateTime(value: Date | string): string {
  if (typeof value === 'string') return value
  if (!(value instanceof Date) || Number.isNaN(value.getTime())) throw resultBreaksContract('an invalid date')
  return value.toISOString()
}

/**
 * Converts an integer to a `bigint`.
 *
 * @throws {ToolFailure} `domain_rejection` beyond the safe integers, whose digits JSON numbers lose.
 */
export function integerToBigint(value: number): bigint {
  if (!Number.isSafeInteger(value)) throw unusableArgument('An integer')
  return BigInt(value)
}

/** Converts a `bigint` to decimal digits. */
export function bigintToString(value: bigint): string {
  return value.toString()
}

/**
 * Converts a URI to a `URL`.
 *
 * @throws {ToolFailure} `domain_rejection` for a URI that is not a URL.
 */
export function stringToUrl(text: string): URL {
  if (!URL.canParse(text)) throw unusableArgument('A URL')
  return new URL(text)
}

/** Returns the text of a `URL`; a string passes unchanged. */
export function urlToString(value: URL | string): string {
  return typeof value === 'string' ? value : value.href
}
