import { resultBreaksContract, unusableArgument } from './conversion-failure.js'

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
