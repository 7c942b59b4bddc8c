const dateText = /^(\d{4})-(\d\d)-(\d\d)$/

const timeText = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|([+-])(\d\d):(\d\d))$/

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Returns whether a value is a `full-date` of RFC 3339 and exists in the calendar. */
export function isDate(value: unknown): boolean {
  const match = typeof value === 'string' ? dateText.exec(value) : null
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeapYear ? 29 : (daysOfMonth[month - 1] ?? 0)
  return day >= 1 && day <= days
}

/** Returns whether a value is a `full-time` of RFC 3339, with an offset. A leap second is valid only at the end of a UTC day. */
export function isTime(value: unknown): boolean {
  const match = typeof value === 'string' ? timeText.exec(value) : null
  if (match === null) return false
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [offsetHour, offsetMinute] = [Number(match[5] ?? 0), Number(match[6] ?? 0)]
  if (hour > 23 || minute > 59 || offsetHour > 23 || offsetMinute > 59) return false
  if (second < 60) return true
  const offset = (match[4] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute)
  const utcMinute = (((hour * 60 + minute - offset) % 1440) + 1440) % 1440
  return second === 60 && utcMinute === 1439
}

/** Matches only date-times in UTC, with a day up to 28, and without a leap second. This fast test makes {@link isDateTime} twice as fast. */
const usualDateTime = /^\d\d\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/

const anyDateTime =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:[0-2]\d|3[01])[tT](?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:[zZ]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Returns whether a value is a `date-time` of RFC 3339, such as `2026-01-31T09:30:00Z`. */
export function isDateTime(value: unknown): value is string {
  // The rest is a separate function, because engines inline only short functions.
  return typeof value === 'string' && (usualDateTime.test(value) || isAnyDateTime(value))
}

function isAnyDateTime(text: string): boolean {
  return anyDateTime.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11))
}

const time = 'T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)'

const date = '(?:\\d+D|\\d+M(?:\\d+D)?|\\d+Y(?:\\d+M(?:\\d+D)?)?)'

const durationText = new RegExp(`^P(?:${date}(?:${time})?|${time}|\\d+W)$`)

/**
 * Returns whether a value is a `duration` of RFC 3339, appendix A, such as `P1DT12H`. Numbers must be integers. Units must follow their order,
 * without gaps: `P1Y2D` is invalid, because the months are missing.
 */
export function isDuration(value: unknown): boolean {
  return typeof value === 'string' && durationText.test(value)
}
