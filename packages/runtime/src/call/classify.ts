import type { FailureReason } from '../types/outcome.js'
import {
  type Failure,
  FIXED_MESSAGES,
  isFailureReason,
  isToolFailure,
  MAX_WAIT_MS,
  peek,
  peekFirst,
  readFailure,
  type ToolFailure,
  waitingTime,
} from './tool-failure.js'

/**
 * Classifies the errors of an application: as a {@link ToolFailure}, whose message the model sees, as a reason alone, or as
 * `undefined` for the default classification. What it throws is ignored.
 */
export type Classify = (error: unknown) => ToolFailure | PlainReason | undefined

/** A reason that needs no further facts. */
export type PlainReason = Exclude<FailureReason, 'missing_fields' | 'invalid_arguments'>

/** The meaning of an error. */
export interface ErrorMeaning {
  readonly reason: Exclude<FailureReason, 'missing_fields' | 'invalid_arguments' | 'unknown_tool' | 'interrupted'>
  /** The next action, where it is not the usual one of the reason. */
  readonly action?: 'correct_call' | 'replan'
  /** True if the service may have done the work although there was no proper response. */
  readonly mayHaveRun?: true
  /** True if the causes of the error are not more exact. */
  readonly isExact?: true
}

/**
 * Knowledge about the errors of one library or protocol. `@toolgen/runtime/errors` has rules for common libraries.
 *
 * @example
 * const pool: ErrorRule = { classify: (error) => (error instanceof PoolTimeout ? { reason: 'unavailable' } : undefined) }
 * new Runtime({ errorRules: [pool] })
 */
export interface ErrorRule {
  /** Returns the meaning of an error or of one of its causes; `undefined` if it is not of this library. */
  readonly classify?: (error: unknown) => ErrorMeaning | undefined
  /** Returns the object that has the response headers or the time to wait, if the error itself does not. */
  readonly response?: (error: unknown) => unknown
  /** Returns the cause of an error that is not in `cause`. */
  readonly cause?: (error: unknown) => unknown
}

/** Turns thrown errors into failures that a model may see. */
export interface Classifier {
  readonly classify?: Classify | undefined
  readonly errorRules?: readonly ErrorRule[] | undefined
}

const MAX_CAUSES = 8

/**
 * Turns whatever was thrown into a failure that a model may see. A `ToolFailure` is taken as it is. For anything else the
 * application's `classify` decides; then a `ToolFailure` among the causes, since somebody threw it for the model; then, for
 * the error and its causes in turn, the rules and the typed facts below. Messages of other errors are never read or shown.
 *
 * @param now milliseconds since the epoch
 */
export function classify(error: unknown, now: number, classifier: Classifier = {}): Failure {
  if (isToolFailure(error)) return readFailure(error)
  const { errorRules = [] } = classifier
  const own: unknown = withoutErrors(classifier.classify, error)
  const chain = causeChain(error, errorRules)
  const waitOf = (link: unknown): number | undefined =>
    [link, ...errorRules.map((rule) => withoutErrors(rule.response, link))]
      .map((each) => retryAfterMs(each, now))
      .find((wait) => wait !== undefined)
  if (isFailureReason(own) && own !== 'missing_fields' && own !== 'invalid_arguments') {
    const wait = chain.map(waitOf).find((each) => each !== undefined)
    return failureOf(own, meaningOf(error, errorRules), wait)
  }
  const failure = isToolFailure(own) ? own : chain.find(isToolFailure)
  if (failure !== undefined) return readFailure(failure)
  for (const [index, link] of chain.entries()) {
    const vague = meaningOf(link, errorRules)
    if (vague === undefined) continue
    const meaning = (isVague(link, vague) && endOf(chain.slice(index + 1), errorRules)) || vague
    return failureOf(meaning.reason, meaning, waitOf(link))
  }
  return { reason: 'internal', message: FIXED_MESSAGES.internal }
}

/** Calls a function of the application; as documented, its errors are ignored. */
function withoutErrors<Result>(read: ((error: unknown) => Result) | undefined, error: unknown): Result | undefined {
  try {
    return read?.(error)
  } catch {
    return undefined
  }
}

function causeChain(error: unknown, rules: readonly ErrorRule[]): readonly unknown[] {
  const chain: unknown[] = []
  let link = error
  while (chain.length < MAX_CAUSES && link !== undefined && link !== null) {
    chain.push(link)
    const hidden = (current: unknown): unknown =>
      rules.map((rule) => withoutErrors(rule.cause, current)).find((cause) => cause !== undefined && cause !== null)
    link = peek(link, 'cause') ?? peek(peek(link, 'errors'), 0) ?? hidden(link)
  }
  return chain
}

function failureOf(reason: PlainReason, meaning: ErrorMeaning | undefined, retryAfter: number | undefined): Failure {
  const message = FIXED_MESSAGES[reason]
  switch (reason) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return { reason, message, retryAfterMs: retryAfter, mayHaveRun: meaning?.mayHaveRun }
    case 'domain_rejection':
      return { reason, message, action: meaning?.action }
    default:
      return { reason, message }
  }
}

function meaningOf(error: unknown, rules: readonly ErrorRule[]): ErrorMeaning | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  for (const { classify: read } of rules) {
    const meaning = withoutErrors(read, error)
    if (meaning !== undefined && isFailureReason(peek(meaning, 'reason'))) return meaning
  }
  const own = OWN_MEANINGS.get(error)
  if (own !== undefined) return own
  const status = httpStatus(error)
  const named = ['name', 'constructor.name', 'type']
    .map((path) => BY_NAME.get(peekFirst(error, path)))
    .find((meaning) => meaning !== undefined)
  if (status === undefined) return meaningOfCode(error) ?? named
  const meaning = meaningOfResponse(status, error)
  return isEnd(named) && isVague(error, meaning) ? named : meaning
}

/** Meanings of errors that an adapter of this package passes on. */
const OWN_MEANINGS = new WeakMap<object, ErrorMeaning>()

/** Classifies an error of an adapter's library, whatever rules the runtime has. Returns the error itself. */
export function withMeaning(error: unknown, rule: ErrorRule): unknown {
  const meaning = withoutErrors(rule.classify, error)
  if (meaning !== undefined && typeof error === 'object' && error !== null) OWN_MEANINGS.set(error, meaning)
  return error
}

/** True if an error only says that there was no response, or that this side gave up: its causes may know why. */
function isVague(error: unknown, { reason, isExact }: ErrorMeaning): boolean {
  if (isExact === true) return false
  return reason === 'cancelled' || (reason === 'unavailable' && peekFirst(error, ...RESPONSE_PATHS) === undefined)
}

const RESPONSE_PATHS = ['response', 'headers', 'responseHeaders']

/** Returns how this side ended the call, as its causes know: a timeout before a cancellation. */
function endOf(chain: readonly unknown[], rules: readonly ErrorRule[]): ErrorMeaning | undefined {
  const ends = chain.map((link) => meaningOf(link, rules)).filter(isEnd)
  return ends.find(({ reason }) => reason === 'timeout') ?? ends[0]
}

function isEnd(meaning: ErrorMeaning | undefined): meaning is ErrorMeaning {
  return meaning?.reason === 'timeout' || meaning?.reason === 'cancelled'
}

/** The service does not accept these values. */
export const WRONG_VALUES: ErrorMeaning = { reason: 'domain_rejection', action: 'correct_call' }
/** The state of the service forbids it. */
export const REJECTED: ErrorMeaning = { reason: 'domain_rejection' }
/** Other arguments do not help. */
export const DENIED: ErrorMeaning = { reason: 'denied' }
/** The service asks to slow down. */
export const RATE_LIMITED: ErrorMeaning = { reason: 'rate_limited' }
/** The service is not available, or not at the moment. */
export const UNAVAILABLE: ErrorMeaning = { reason: 'unavailable' }
/** No proper response came; the work may have been done. */
export const BROKEN_OFF: ErrorMeaning = { reason: 'unavailable', mayHaveRun: true }
/** It took too long. */
export const TIMEOUT: ErrorMeaning = { reason: 'timeout' }
/** This side gave up. */
export const CANCELLED: ErrorMeaning = { reason: 'cancelled' }
/** The executor uses the service wrongly. */
export const INTERNAL: ErrorMeaning = { reason: 'internal' }

/** Facts with the same meaning. */
export type Row<Fact> = readonly [meaning: ErrorMeaning, ...facts: readonly Fact[]]

export function meaningsOf<Fact>(rows: readonly Row<Fact>[]): ReadonlyMap<unknown, ErrorMeaning> {
  return new Map(rows.flatMap(([meaning, ...facts]) => facts.map((fact) => [fact, meaning] as const)))
}

/** HTTP statuses; those not listed follow from their first digit. */
export const STATUS_ROWS: readonly Row<number>[] = [
  [WRONG_VALUES, 400, 413, 414, 422],
  [DENIED, 401, 403, 407, 451],
  [INTERNAL, 405, 406, 411, 415, 426, 428, 431, 501, 505],
  [TIMEOUT, 408, 504, 524],
  [UNAVAILABLE, 423, 425, 503],
  [RATE_LIMITED, 429],
]

const BY_STATUS = meaningsOf(STATUS_ROWS)

/**
 * Returns the meaning of the HTTP status of a failed request.
 *
 * @param sources errors or responses that may have headers
 */
export function meaningOfResponse(status: number, ...sources: readonly unknown[]): ErrorMeaning {
  // Some services answer 403 for a limit that was reached.
  const isLimit = (source: unknown): boolean =>
    responseHeader(source, 'retry-after') !== undefined || responseHeader(source, 'x-ratelimit-remaining') === '0'
  if (status === 403 && sources.some(isLimit)) return RATE_LIMITED
  return BY_STATUS.get(status) ?? (status >= 500 ? BROKEN_OFF : REJECTED)
}

/** Returns the HTTP status (400 to 599) of an error or of its `response`. */
export function httpStatus(error: unknown): number | undefined {
  const paths = ['status', 'statusCode', 'response.status', 'response.statusCode']
  return paths.map((path) => peekFirst(error, path)).find(isFailedStatus)
}

export function isFailedStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
}

/** Network codes of Node and undici. */
export const CODE_ROWS: readonly Row<string>[] = [
  [UNAVAILABLE, 'ECONNREFUSED', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'ENOTFOUND'],
  [UNAVAILABLE, 'ESERVFAIL', 'EAI_AGAIN', 'EAI_FAIL', 'EBUSY', 'EAGAIN', 'EMFILE', 'ENFILE'],
  [UNAVAILABLE, 'UND_ERR_BPL_MISSING_UPSTREAM'],
  [BROKEN_OFF, 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ENOTCONN', 'ENETRESET', 'ERR_SOCKET_CLOSED'],
  [BROKEN_OFF, 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_SESSION_ERROR'],
  [BROKEN_OFF, 'ERR_HTTP2_GOAWAY_SESSION', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED'],
  [TIMEOUT, 'ETIMEDOUT', 'ETIMEOUT', 'ESOCKETTIMEDOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT'],
  [TIMEOUT, 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
  [CANCELLED, 'ABORT_ERR', 'ECANCELED', 'UND_ERR_ABORTED'],
]

/** Codes of JSON-RPC 2.0 and of the Model Context Protocol. */
export const JSON_RPC_ROWS: readonly Row<number>[] = [
  [INTERNAL, -32700, -32600, -32601, -32603],
  [WRONG_VALUES, -32602],
  [BROKEN_OFF, -32000],
  [TIMEOUT, -32001],
  [REJECTED, -32002],
  [DENIED, -32042],
  [CANCELLED, -32800],
]

/** Codes of an `McpCallError`; one without any of these has a status or a JSON-RPC code. */
const MCP_CALL_ROWS: readonly Row<string>[] = [
  // There was no connection, so nothing was sent.
  [{ reason: 'unavailable', isExact: true }, 'unreachable'],
  [BROKEN_OFF, 'closed'],
  [TIMEOUT, 'timeout'],
  [{ reason: 'malformed_result' }, 'malformed', 'too_large'],
]

const BY_CODE = meaningsOf<string | number>([...CODE_ROWS, ...JSON_RPC_ROWS])
const BY_MCP_CALL = meaningsOf(MCP_CALL_ROWS)

/** Returns the meaning of the `code` of an error of Node, undici or JSON-RPC, and of an `McpCallError` of any copy of this package. */
export function meaningOfCode(error: unknown): ErrorMeaning | undefined {
  const isMcpCall = peek(error, 'name') === 'McpCallError'
  const known = isMcpCall ? BY_MCP_CALL.get(peek(error, 'code')) : undefined
  if (known !== undefined) return known
  const code = peek(error, isMcpCall ? 'rpcCode' : 'code')
  // JSON-RPC leaves -32099 to -32000 to servers.
  const isOfServer = typeof code === 'number' && Number.isInteger(code) && code >= -32099 && code <= -32000
  return BY_CODE.get(code) ?? (isOfServer ? BROKEN_OFF : undefined)
}

export const NAME_ROWS: readonly Row<string>[] = [
  [TIMEOUT, 'TimeoutError'],
  [CANCELLED, 'AbortError'],
]

const BY_NAME = meaningsOf(NAME_ROWS)

const MAX_HEADERS = 200

/**
 * Returns how long a service asks to wait, in milliseconds: from `retry-after-ms`, `Retry-After` (seconds or a date), from
 * `x-ratelimit-reset` if `x-ratelimit-remaining` is 0, or from common properties.
 *
 * @param now milliseconds since the epoch, to read a date
 */
export function retryAfterMs(error: unknown, now: number): number | undefined {
  return waitingTime(
    amount(responseHeader(error, 'retry-after-ms')) ??
      retryAfterHeader(responseHeader(error, 'retry-after'), now) ??
      rateLimitReset(error, now) ??
      amount(peekFirst(error, 'retryAfterMs', 'retryAfterMilliseconds')) ??
      seconds(peekFirst(error, 'retryAfter', 'retry_after', 'retryAfterSeconds')),
  )
}

/** Returns a header of the response of an error; `name` in lower case. */
export function responseHeader(error: unknown, name: string): unknown {
  for (const path of ['headers', 'response.headers', 'responseHeaders']) {
    const value = headerOf(peekFirst(error, path), name)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

/** Reads `Headers`, maps, plain objects, lists of pairs and Node's flat raw headers. */
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
    // Hostile headers say nothing.
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
  // An HTTP date begins with the name of a weekday; `Date.parse` accepts much else.
  if (!/^[A-Z][a-z]{2,8},? /.test(value)) return undefined
  // Its oldest form names no zone, and would be read as local time.
  const date = Date.parse(/(GMT|UTC|Z|[+-]\d{2}:?\d{2})$/.test(value.trim()) ? value : `${value} GMT`)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil(date - now))
}

/** Some services name the second at which a limit ends; a duration in its place is too small to be a date. */
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
