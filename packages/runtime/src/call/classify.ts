import type { FailureReason } from '../types/errors.js'
import { type Failure, readFailure } from './failure.js'
import { responseHeader, retryAfterMs } from './retry-after.js'
import {
  BROKEN_OFF,
  CANCELLED,
  DENIED,
  FIXED_MESSAGES,
  INTERNAL,
  isFailureReason,
  isToolFailure,
  peek,
  peekFirst,
  RATE_LIMITED,
  REJECTED,
  type Row,
  TIMEOUT,
  type ToolFailure,
  UNAVAILABLE,
  type Verdict,
  verdictsOf,
  WRONG_VALUES,
} from './tool-failure.js'

/**
 * What an application knows of its own errors: a {@link ToolFailure}, whose message the model sees, or a reason alone.
 * `undefined` leaves the error to the runtime's table. May throw; then it said nothing.
 */
export type Classify = (error: unknown) => ToolFailure | PlainReason | undefined

/** A reason that needs no further facts. */
export type PlainReason = Exclude<FailureReason, 'missing_fields' | 'invalid_arguments'>

/** How many causes are looked at. */
const MAX_CAUSES = 8

/**
 * Turns whatever was thrown into a failure that a model may see. A `ToolFailure` speaks for itself. Of anything else
 * the application is asked first; then a `ToolFailure` among the causes counts, since somebody threw it for the model;
 * then a table of typed facts (HTTP status, codes, names), for the error and its causes in turn. Messages of other
 * errors are never read and never shown.
 *
 * @param now milliseconds since the epoch
 */
export function classify(error: unknown, now: number, application?: Classify): Failure {
  if (isToolFailure(error)) return readFailure(error)
  const known = application && ask(application, error)
  const links = [...causes(error)]
  if (typeof known === 'string') {
    const asking = links.find((link) => retryAfterMs(link, now) !== undefined)
    return failureOf(known, verdictOf(error), asking, now)
  }
  const told = known ?? links.find(isToolFailure)
  if (told !== undefined) return readFailure(told)
  for (const [at, link] of links.entries()) {
    const verdict = verdictOf(link)
    if (verdict === undefined) continue
    const final = isVague(link, verdict) ? (endOf(links.slice(at + 1)) ?? verdict) : verdict
    return failureOf(final.reason, final, link, now)
  }
  return { reason: 'internal', message: FIXED_MESSAGES.internal }
}

function ask(application: Classify, error: unknown): ToolFailure | PlainReason | undefined {
  try {
    const answer: unknown = application(error)
    if (isToolFailure(answer)) return answer
    return isFailureReason(answer) && answer !== 'missing_fields' && answer !== 'invalid_arguments' ? answer : undefined
  } catch {
    // Documented: a classifier that throws said nothing; the table decides.
    return undefined
  }
}

function verdictOf(error: unknown): Verdict | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const status = httpStatus(error)
  if (status === undefined) return verdictOfMcpCall(error) ?? verdictOfCode(error) ?? verdictOfName(error)
  const verdict = verdictOfAnswer(error, status)
  const named = isVague(error, verdict) ? verdictOfName(error) : undefined
  return named !== undefined && isEnd(named) ? named : verdict
}

function verdictOfAnswer(error: unknown, status: number): Verdict {
  // An empty account does not fill up by waiting.
  if (status === 429 && peek(error, 'code') === 'insufficient_quota') return DENIED
  if (isRateLimit(error, status)) return RATE_LIMITED
  return verdictOfAwsName(error) ?? verdictOfStatus(status)
}

/** Some services answer 403 or 400 for a limit that was reached; headers and flags tell. */
function isRateLimit(error: unknown, status: number): boolean {
  if (peek(peek(error, '$retryable'), 'throttling') === true) return true
  if (verdictOfName(error)?.reason === 'rate_limited') return true
  if (status !== 403) return false
  return responseHeader(error, 'retry-after') !== undefined || responseHeader(error, 'x-ratelimit-remaining') === '0'
}

/**
 * Whether an error says only that there was no answer, or that this side gave up: its causes may know that this side
 * stopped waiting, or that the reason of its giving up was a time-out.
 */
function isVague(error: unknown, { reason, isExact }: Verdict): boolean {
  if (isExact === true) return false
  return reason === 'cancelled' || (reason === 'unavailable' && !hasResponse(error))
}

/** How this side ended the call, as its causes tell: a time-out before a cancellation. */
function endOf(links: readonly unknown[]): Verdict | undefined {
  const ends = links.map(verdictOf).filter(isEnd)
  return ends.find(({ reason }) => reason === 'timeout') ?? ends[0]
}

function isEnd(verdict: Verdict | undefined): verdict is Verdict {
  return verdict?.reason === 'timeout' || verdict?.reason === 'cancelled'
}

function* causes(error: unknown): Generator<unknown> {
  let link = error
  for (let depth = 0; depth < MAX_CAUSES && link !== undefined && link !== null; depth += 1) {
    yield link
    link = peek(link, 'cause') ?? peek(peek(link, 'errors'), 0) ?? stripeCause(link)
  }
}

/** Stripe keeps the cause of a lost connection as its detail; elsewhere a detail is text or the application's own. */
function stripeCause(error: unknown): unknown {
  return peek(error, 'type') === 'StripeConnectionError' ? peek(error, 'detail') : undefined
}

function failureOf(reason: PlainReason, verdict: Verdict | undefined, error: unknown, now: number): Failure {
  const message = FIXED_MESSAGES[reason]
  switch (reason) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return { reason, message, retryAfterMs: retryAfterMs(error, now), mayHaveRun: verdict?.mayHaveRun }
    case 'domain_rejection':
      return { reason, message, action: verdict?.action }
    default:
      return { reason, message }
  }
}

/** The codes of Node, undici, axios and Slack, as text. */
export const CODE_ROWS: readonly Row<string>[] = [
  [UNAVAILABLE, 'ECONNREFUSED', 'EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'ENOTFOUND'],
  [UNAVAILABLE, 'ESERVFAIL', 'EAI_AGAIN', 'EAI_FAIL', 'EBUSY', 'EAGAIN', 'EMFILE', 'ENFILE'],
  [UNAVAILABLE, 'UND_ERR_BPL_MISSING_UPSTREAM'],
  [BROKEN_OFF, 'ECONNRESET', 'EPIPE', 'ENOTCONN', 'ENETRESET', 'ERR_SOCKET_CLOSED', 'ERR_STREAM_PREMATURE_CLOSE'],
  [BROKEN_OFF, 'ERR_HTTP2_STREAM_ERROR', 'ERR_HTTP2_SESSION_ERROR', 'ERR_HTTP2_GOAWAY_SESSION'],
  [BROKEN_OFF, 'UND_ERR_SOCKET', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED'],
  [BROKEN_OFF, 'ERR_NETWORK', 'ERR_BAD_RESPONSE', 'slack_webapi_request_error'],
  [TIMEOUT, 'ETIMEDOUT', 'ETIMEOUT', 'ESOCKETTIMEDOUT', 'ECONNABORTED', 'ERR_SOCKET_CONNECTION_TIMEOUT'],
  [TIMEOUT, 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
  [CANCELLED, 'ABORT_ERR', 'ERR_CANCELED', 'ECANCELED', 'UND_ERR_ABORTED'],
  [RATE_LIMITED, 'slack_webapi_rate_limited_error'],
]

const BY_CODE = verdictsOf(CODE_ROWS)

/** What the code of an error says; `undefined` where it says nothing. */
function verdictOfCode(error: unknown): Verdict | undefined {
  const code = peek(error, 'code')
  if (typeof code === 'number') return verdictOfNumber(error, code)
  if (typeof code !== 'string') return undefined
  return exception(error, code) ?? BY_CODE.get(code) ?? verdictOfSqlState(error, code)
}

/** Codes that axios gave a meaning of its own. */
function exception(error: unknown, code: string): Verdict | undefined {
  // Of the system it is a connection that was lost; axios says it of its time-out.
  if (code === 'ECONNABORTED' && typeof peek(error, 'syscall') === 'string') return BROKEN_OFF
  // An answer that broke off; where it came whole and could not be parsed, axios takes over the name of the parser's error.
  if (code === 'ERR_BAD_RESPONSE' && peek(error, 'name') === 'SyntaxError') return INTERNAL
  return undefined
}

/** Names of errors: as `name`, as the name of the class, or as the `type` that Stripe gives. */
export const NAME_ROWS: readonly Row<string>[] = [
  [TIMEOUT, 'TimeoutError', 'ConnectTimeoutError', 'HeadersTimeoutError', 'BodyTimeoutError'],
  [TIMEOUT, 'APIConnectionTimeoutError'],
  [CANCELLED, 'AbortError', 'APIUserAbortError', 'CanceledError', 'RequestAbortedError'],
  [BROKEN_OFF, 'APIConnectionError', 'StripeConnectionError'],
  [DENIED, 'UnauthorizedError'],
  [RATE_LIMITED, 'ThrottlingException', 'Throttling', 'TooManyRequestsException', 'SlowDown'],
  [RATE_LIMITED, 'ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'LimitExceededException'],
]

/** What AWS answers with a status that says too little, mostly 400. Read only of errors with `$metadata`. */
export const AWS_ROWS: readonly Row<string>[] = [
  [DENIED, 'AccessDeniedException', 'UnrecognizedClientException', 'ExpiredTokenException', 'ExpiredToken'],
  [DENIED, 'InvalidSignatureException', 'MissingAuthenticationTokenException', 'IncompleteSignatureException'],
  [REJECTED, 'ResourceNotFoundException', 'ResourceInUseException', 'ConditionalCheckFailedException'],
  [REJECTED, 'TransactionCanceledException'],
  [UNAVAILABLE, 'TransactionConflictException', 'TransactionInProgressException'],
  [TIMEOUT, 'RequestTimeout', 'RequestTimeoutException'],
]

/** Properties that are `true` on the errors of cockatiel, whose classes have no other name than that of their code. */
export const FLAG_ROWS: readonly Row<string>[] = [
  [UNAVAILABLE, 'isBrokenCircuitError', 'isBulkheadRejectedError'],
  [TIMEOUT, 'isTaskCancelledError'],
]

const BY_NAME = verdictsOf(NAME_ROWS)
const BY_AWS_NAME = verdictsOf(AWS_ROWS)
const BY_FLAG = [...verdictsOf(FLAG_ROWS)]

/** What the name of an error, or of its class, says; `undefined` where it says nothing. */
function verdictOfName(error: unknown): Verdict | undefined {
  const names = [peek(error, 'name'), className(error), peek(error, 'type')]
  return names.map((name) => lookUp(BY_NAME, name)).find((verdict) => verdict !== undefined) ?? verdictOfFlag(error)
}

/** What the name of an exception that AWS answered says; `undefined` for all other errors. */
function verdictOfAwsName(error: unknown): Verdict | undefined {
  return peek(error, '$metadata') === undefined ? undefined : lookUp(BY_AWS_NAME, peek(error, 'name'))
}

/** The name of the class of an error. */
function className(error: unknown): unknown {
  return peek(peek(error, 'constructor'), 'name')
}

function verdictOfFlag(error: unknown): Verdict | undefined {
  return BY_FLAG.find(([flag]) => peek(error, flag) === true)?.[1]
}

function lookUp(table: ReadonlyMap<string, Verdict>, name: unknown): Verdict | undefined {
  return typeof name === 'string' ? table.get(name) : undefined
}

const STATUS_PATHS = ['status', 'statusCode', 'response.status', 'response.statusCode', '$metadata.httpStatusCode']

const RESPONSE_PATHS = ['response', 'headers', 'responseHeaders', '$response', '$metadata']

/** The errors of the Model Context Protocol's HTTP transports: their `code` is a status. */
const CODE_IS_STATUS: ReadonlySet<unknown> = new Set(['StreamableHTTPError', 'SseError'])

/** What the statuses of HTTP mean; those not listed are told by their first digit. */
export const STATUS_ROWS: readonly Row<number>[] = [
  [WRONG_VALUES, 400, 413, 414, 422],
  [DENIED, 401, 403, 407, 451],
  [INTERNAL, 405, 406, 411, 415, 426, 428, 431, 501, 505],
  [TIMEOUT, 408, 504, 524],
  [UNAVAILABLE, 423, 425, 503],
  [RATE_LIMITED, 429],
]

const BY_STATUS = verdictsOf(STATUS_ROWS)

/** The HTTP status (400 to 599) that an error carries, wherever its library puts it. */
function httpStatus(error: unknown): number | undefined {
  for (const path of STATUS_PATHS) {
    const status = peekFirst(error, path)
    if (isFailedStatus(status)) return status
  }
  const code = peek(error, 'code')
  return isFailedStatus(code) && CODE_IS_STATUS.has(className(error)) ? code : undefined
}

/** What an HTTP status says of a failed call. */
export function verdictOfStatus(status: number): Verdict {
  return BY_STATUS.get(status) ?? (status >= 500 ? BROKEN_OFF : REJECTED)
}

/** Whether an error carries what a service answered; some libraries put a status 500 where there was no answer. */
function hasResponse(error: unknown): boolean {
  return peekFirst(error, ...RESPONSE_PATHS) !== undefined
}

function isFailedStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
}

/** The codes of JSON-RPC 2.0 and of the Model Context Protocol. */
export const JSON_RPC_ROWS: readonly Row<number>[] = [
  [INTERNAL, -32700, -32600, -32601, -32603],
  [WRONG_VALUES, -32602],
  [BROKEN_OFF, -32000],
  [TIMEOUT, -32001],
  [REJECTED, -32002],
  [DENIED, -32042],
  [CANCELLED, -32800],
]

/** The status codes of gRPC, in the order of their numbers from 0. */
export const GRPC_NAMES: readonly string[] = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
]

/** The status codes of gRPC by name. */
export const GRPC_ROWS: readonly Row<string>[] = [
  [WRONG_VALUES, 'INVALID_ARGUMENT', 'OUT_OF_RANGE'],
  [REJECTED, 'NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
  [DENIED, 'PERMISSION_DENIED', 'UNAUTHENTICATED'],
  [RATE_LIMITED, 'RESOURCE_EXHAUSTED'],
  [BROKEN_OFF, 'UNAVAILABLE'],
  [UNAVAILABLE, 'ABORTED'],
  [TIMEOUT, 'DEADLINE_EXCEEDED'],
  [CANCELLED, 'CANCELLED'],
  [INTERNAL, 'UNKNOWN', 'UNIMPLEMENTED', 'INTERNAL', 'DATA_LOSS'],
]

const BY_JSON_RPC = verdictsOf(JSON_RPC_ROWS)
const BY_GRPC = verdictsOf(GRPC_ROWS)

/** What a numeric `code` says; `undefined` where it is of neither protocol. */
function verdictOfNumber(error: unknown, code: number): Verdict | undefined {
  if (code < 0) return BY_JSON_RPC.get(code) ?? (isServerCode(code) ? BROKEN_OFF : undefined)
  const name = isGrpc(error) ? GRPC_NAMES[code] : undefined
  return name === undefined ? undefined : BY_GRPC.get(name)
}

/** JSON-RPC leaves -32099 to -32000 to servers. */
function isServerCode(code: number): boolean {
  return Number.isInteger(code) && code >= -32099 && code <= -32000
}

/** Small numbers are everybody's codes: gRPC's come with details as text or with metadata that can be asked. */
function isGrpc(error: unknown): boolean {
  return typeof peek(error, 'details') === 'string' || typeof peek(peek(error, 'metadata'), 'get') === 'function'
}

/** SQLSTATE by condition (five characters) or by class (the first two). */
export const SQL_STATE_ROWS: readonly Row<string>[] = [
  [WRONG_VALUES, '22'],
  [REJECTED, '23', '44', 'P0001', 'P0002'],
  [DENIED, '28', '42501'],
  [UNAVAILABLE, '40', '53', '55006', '55P03'],
  [BROKEN_OFF, '08', '57', '58'],
  [TIMEOUT, '25P03', '25P04', '57014', '57P05'],
  [INTERNAL, '0A', '25', '42', '54', 'XX'],
]

const BY_SQL_STATE = verdictsOf(SQL_STATE_ROWS)

/** Conditions that count also where nothing but the code is left of a database's error. */
const COMMON: ReadonlySet<string> = new Set([
  ...['08000', '08001', '08003', '08004', '08006', '08P01', '22001', '22003', '22007', '22008', '22012', '22023'],
  ...['22P02', '22P05', '23000', '23502', '23503', '23505', '23514', '23P01', '28000', '28P01', '40001', '40P01'],
  ...['42501', '42601', '42703', '42P01', '53100', '53200', '53300', '55P03', '57014', '57P01', '57P02', '57P03'],
  'P0001',
])

/** What a SQLSTATE says; `undefined` where the code is none. */
function verdictOfSqlState(error: unknown, code: string): Verdict | undefined {
  // A digit tells a SQLSTATE from an errno of five letters.
  if (!/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return undefined
  if (!COMMON.has(code) && !isDatabaseError(error)) return undefined
  return BY_SQL_STATE.get(code) ?? BY_SQL_STATE.get(code.slice(0, 2))
}

/** Five characters are also codes of applications and of ORMs: PostgreSQL adds a severity, PostgREST details and a hint. */
function isDatabaseError(error: unknown): boolean {
  if (typeof peek(error, 'severity') === 'string') return true
  return peek(error, 'hint') !== undefined && peek(error, 'details') !== undefined
}

/** The codes of an `McpCallError`; one that is missing has a status or a JSON-RPC code. */
const MCP_CALL_ROWS: readonly Row<unknown>[] = [
  // There was no connection, so nothing was sent.
  [{ reason: 'unavailable', isExact: true }, 'unreachable'],
  [BROKEN_OFF, 'closed'],
  [TIMEOUT, 'timeout'],
  [{ reason: 'malformed_result' }, 'malformed', 'too_large'],
]

const BY_MCP_CALL = verdictsOf(MCP_CALL_ROWS)

/** Classifies an `McpCallError`, also one of another copy of this package. */
function verdictOfMcpCall(error: unknown): Verdict | undefined {
  if (peek(error, 'name') !== 'McpCallError') return undefined
  const rpcCode = peek(error, 'rpcCode')
  return (
    BY_MCP_CALL.get(peek(error, 'code')) ?? (typeof rpcCode === 'number' ? verdictOfNumber(error, rpcCode) : undefined)
  )
}
