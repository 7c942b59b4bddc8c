import { ToolFailure } from '../call/tool-failure.js'
import { resultBreaksContract } from './service-executor.js'

function unusableArgument(what: string): ToolFailure {
  return new ToolFailure(`The arguments contain ${what} that the service cannot use.`, { action: 'correct_call' })
}

/**
 * Decodes a base64 string with padding.
 *
 * @throws {ToolFailure} `domain_rejection` if the string is not valid base64.
 */
export function base64ToBytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(text, 'base64')
  // `Buffer` skips invalid characters. Encoding the bytes again reveals them.
  if (bytes.toString('base64') !== text) throw unusableArgument('a base64 string')
  return new Uint8Array(bytes)
}

/**
 * Encodes bytes as base64 with padding.
 *
 * @throws {ToolFailure} `malformed_result` if the value is neither a `Uint8Array` nor an `ArrayBuffer`.
 */
export function bytesToBase64(bytes: Uint8Array | ArrayBuffer): string {
  if (bytes instanceof ArrayBuffer) return Buffer.from(bytes).toString('base64')
  if (!(bytes instanceof Uint8Array)) throw resultBreaksContract('a value that is not bytes')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

/** Returns true for an array. Unlike `Array.isArray`, this function also narrows union types that contain a readonly array. */
export function isArray(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Converts an array to a `Set`. */
export function arrayToSet<Item>(items: readonly Item[]): Set<Item> {
  return new Set(items)
}

/** Converts a `Set` to an array in insertion order. */
export function setToArray<Item>(items: ReadonlySet<Item>): Item[] {
  return [...items]
}

/** Converts the own properties of an object to a `Map`. */
export function recordToMap<Value>(record: Readonly<Record<string, Value>>): Map<string, Value> {
  return new Map(Object.entries(record))
}

/** Converts a `Map` to an object. Each key becomes an own property, even a key such as `__proto__`. */
export function mapToRecord<Value>(map: ReadonlyMap<string, Value>): Record<string, Value> {
  return Object.fromEntries(map)
}

/** Returns a copy of an object in which every value is converted. Each key remains an own property, even a key such as `__proto__`. */
export function mapRecord<Value, Converted>(
  record: Readonly<Record<string, Value>>,
  convert: (value: Value) => Converted,
): Record<string, Converted> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, convert(value)]))
}

/**
 * Converts a date-time string (RFC 3339) to a `Date`.
 *
 * @throws {ToolFailure} `domain_rejection` for a leap second or another invalid time.
 */
export function dateTimeToDate(text: string): Date {
  const date = new Date(text)
  if (Number.isNaN(date.getTime())) throw unusableArgument('a date-time')
  return date
}

/**
 * Converts a date string (`2026-01-31`) to midnight UTC of that day.
 *
 * @throws {ToolFailure} `domain_rejection` for a day that does not exist.
 */
export function dateToUtcMidnight(text: string): Date {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00.000Z`) : new Date(Number.NaN)
  // V8 parses February 30 as March 2.
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== text) throw unusableArgument('a date')
  return date
}

/**
 * Converts a `Date` to a date-time string in UTC. Returns a string unchanged, because some methods return `string | Date`.
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
 * @throws {ToolFailure} `domain_rejection` if `value` is not a safe integer, because parsing its JSON may have rounded the number.
 */
export function integerToBigint(value: number): bigint {
  if (!Number.isSafeInteger(value)) throw unusableArgument('an integer')
  return BigInt(value)
}

/** Converts a `bigint` to a decimal string. */
export function bigintToString(value: bigint): string {
  return value.toString()
}

/**
 * Converts a URI string to a `URL`.
 *
 * @throws {ToolFailure} `domain_rejection` if `URL` cannot parse the string.
 */
export function stringToUrl(text: string): URL {
  if (!URL.canParse(text)) throw unusableArgument('a URL')
  return new URL(text)
}

/** Converts a `URL` to a string. Returns a string unchanged, because some methods return `string | URL`. */
export function urlToString(value: URL | string): string {
  return typeof value === 'string' ? value : value.href
}
