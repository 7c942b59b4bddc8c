import { peek, peekFirst } from './tool-failure.js'

/** More headers than this are not looked at. */
const MAX_HEADERS = 200

/** Who is told to wait longer than any timer can wait is told this: 24.8 days. */
const LONGEST_WAIT_MS = 2_147_483_647

const HEADER_PATHS = ['headers', 'response.headers', '$response.headers', 'responseHeaders']

/**
 * How long a service asks to wait, in milliseconds: from `retry-after-ms`, `Retry-After` (seconds or a date) from
 * `x-ratelimit-reset` where `x-ratelimit-remaining` is 0, or from the properties that well-known libraries use.
 *
 * @param now milliseconds since the epoch, to read a date
 */
export function retryAfterMs(error: unknown, now: number): number | undefined {
  return waitingTime(
    milliseconds(responseHeader(error, 'retry-after-ms')) ??
      retryAfterHeader(responseHeader(error, 'retry-after'), now) ??
      rateLimitReset(error, now) ??
      milliseconds(peekFirst(error, 'retryAfterMs', 'retryAfterMilliseconds')) ??
      seconds(peekFirst(error, 'retryAfter', 'retry_after', 'retryAfterSeconds', 'parameters.retry_after')),
  )
}

/** A time to wait that is one: a finite number of milliseconds that is not negative, at most 24.8 days. */
export function waitingTime(value: unknown): number | undefined {
  if (typeof value !== 'number' || Number.isNaN(value) || value < 0 || value === Number.POSITIVE_INFINITY)
    return undefined
  return Math.min(Math.ceil(value), LONGEST_WAIT_MS)
}

/** A header of the response behind an error; `name` in lower case. */
export function responseHeader(error: unknown, name: string): unknown {
  for (const path of HEADER_PATHS) {
    const value = headerOf(peekFirst(error, path), name)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

function headerOf(headers: unknown, name: string): unknown {
  try {
    const get = peek(headers, 'get')
    const found: unknown = typeof get === 'function' ? get.call(headers, name) : undefined
    return found ?? scan(entriesOf(headers), name)
  } catch {
    // Hostile headers tell nothing.
    return undefined
  }
}

function scan(entries: Iterable<unknown>, name: string): unknown {
  let left = MAX_HEADERS
  for (const entry of entries) {
    left -= 1
    if (left < 0) return undefined
    if (!Array.isArray(entry) || typeof entry[0] !== 'string' || entry[0].toLowerCase() !== name) continue
    return Array.isArray(entry[1]) ? entry[1][0] : entry[1]
  }
  return undefined
}

/** The names and values of `Headers`, maps, plain objects, lists of pairs and Node's flat raw headers. */
function entriesOf(headers: unknown): Iterable<unknown> {
  if (typeof headers !== 'object' || headers === null) return []
  if (Array.isArray(headers) && !Array.isArray(headers[0])) {
    return headers.slice(0, 2 * MAX_HEADERS).flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : []))
  }
  return isIterable(headers) ? headers : Object.entries(headers)
}

function isIterable(value: object): value is Iterable<unknown> {
  return typeof peek(value, Symbol.iterator) === 'function'
}

function retryAfterHeader(value: unknown, now: number): number | undefined {
  const inSeconds = seconds(value)
  if (inSeconds !== undefined || typeof value !== 'string') return inSeconds
  // An HTTP date begins with the name of a weekday; `Date.parse` takes much else.
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return undefined
  // Its oldest form names no zone, and would be read as local time.
  const date = Date.parse(/(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/.test(value.trim()) ? value : `${value} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil(date - now))
}

/** GitHub names the second at which a limit ends; where others give a duration, the number is too small to be a date. */
function rateLimitReset(error: unknown, now: number): number | undefined {
  if (responseHeader(error, 'x-ratelimit-remaining') !== '0') return undefined
  const reset = amount(responseHeader(error, 'x-ratelimit-reset'))
  return reset === undefined || reset < 1e9 ? undefined : Math.max(0, Math.ceil(reset * 1000 - now))
}

function seconds(value: unknown): number | undefined {
  const given = amount(value)
  return given === undefined ? undefined : Math.min(Math.ceil(given * 1000), LONGEST_WAIT_MS)
}

function milliseconds(value: unknown): number | undefined {
  return amount(value)
}

function amount(value: unknown): number | undefined {
  const given = typeof value === 'string' && /^\d{1,12}(\.\d{1,6})?$/.test(value.trim()) ? Number(value) : value
  return typeof given === 'number' && Number.isFinite(given) && given >= 0 ? given : undefined
}
