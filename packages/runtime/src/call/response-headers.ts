import { MAX_WAIT_MS, waitingTime } from './failure.js'
import { peek, peekFirst } from './tool-failure.js'

const MAX_HEADERS = 200

export function retryAfterMs(error: unknown, now: number): number | undefined {
  return waitingTime(
    amount(responseHeader(error, 'retry-after-ms')) ??
      retryAfterHeader(responseHeader(error, 'retry-after'), now) ??
      rateLimitReset(error, now) ??
      amount(peekFirst(error, 'retryAfterMs', 'retryAfterMilliseconds')) ??
      seconds(peekFirst(error, 'retryAfter', 'retry_after', 'retryAfterSeconds')),
  )
}

/** `name` must be in lower case. */
export function responseHeader(error: unknown, name: string): unknown {
  for (const path of ['headers', 'response.headers', 'responseHeaders']) {
    const value = headerOf(peekFirst(error, path), name)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

/** Some clients return an array of alternating names and values, such as `rawHeaders` of Node. */
function headerOf(headers: unknown, name: string): unknown {
  if (typeof headers !== 'object' || headers === null) return undefined
  try {
    const get = peek(headers, 'get')
    const found: unknown = typeof get === 'function' ? get.call(headers, name) : undefined
    if (found !== undefined && found !== null) return found
    let count = 0
    for (const entry of entriesOf(headers)) {
      count += 1
      if (count > MAX_HEADERS) return undefined
      if (!Array.isArray(entry) || typeof entry[0] !== 'string' || entry[0].toLowerCase() !== name) continue
      return Array.isArray(entry[1]) ? entry[1][0] : entry[1]
    }
  } catch {
    // Headers that throw when read count as absent.
  }
  return undefined
}

function entriesOf(headers: object): Iterable<unknown> {
  if (Array.isArray(headers) && !Array.isArray(headers[0])) {
    const flat = headers.slice(0, 2 * MAX_HEADERS)
    return flat.flatMap((name, index) => (index % 2 === 0 ? [[name, flat[index + 1]]] : []))
  }
  const isIterable = typeof peek(headers, Symbol.iterator) === 'function'
  return isIterable ? (headers as Iterable<unknown>) : Object.entries(headers)
}

function retryAfterHeader(value: unknown, now: number): number | undefined {
  const inSeconds = seconds(value)
  if (inSeconds !== undefined || typeof value !== 'string') return inSeconds
  // Accepts only dates that begin with a weekday, because `Date.parse` accepts many other strings.
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return undefined
  // The oldest date format of HTTP has no time zone and would be read as local time.
  const date = Date.parse(/(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/.test(value.trim()) ? value : `${value} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil(date - now))
}

/** Ignores values of `x-ratelimit-reset` below 1e9, because some services send a duration instead of a Unix time. */
function rateLimitReset(error: unknown, now: number): number | undefined {
  if (responseHeader(error, 'x-ratelimit-remaining') !== '0') return undefined
  const reset = amount(responseHeader(error, 'x-ratelimit-reset'))
  return reset === undefined || reset < 1e9 ? undefined : Math.max(0, Math.ceil(reset * 1000 - now))
}

function seconds(value: unknown): number | undefined {
  const read = amount(value)
  return read === undefined ? undefined : Math.min(Math.ceil(read * 1000), MAX_WAIT_MS)
}

function amount(value: unknown): number | undefined {
  const read = typeof value === 'string' && /^\d{1,12}(\.\d{1,6})?$/.test(value.trim()) ? Number(value) : value
  return typeof read === 'number' && Number.isFinite(read) && read >= 0 ? read : undefined
}
