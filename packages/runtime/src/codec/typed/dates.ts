import { isDateTime } from '../formats/date-time.js'

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

/** Whether a value is a `Date`, of any realm. */
export function isDateValue(value: object): value is Date {
  try {
    if (Object.prototype.toString.call(value) !== '[object Date]') return false
    Date.prototype.getTime.call(value)
    return true
  } catch {
    // Anything may call itself a Date; the engine says by throwing that this is none.
    return false
  }
}

/** Milliseconds of an offset such as `+01:30`. */
function offsetOf(text: string): number {
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4, 6))
  return (text.startsWith('-') ? -minutes : minutes) * 60_000
}
