import type { FailureReason } from '../types/failure.js'
import { responseHeader } from './response-headers.js'
import { peek, peekFirst } from './tool-failure.js'

/** Meaning of an error: the reason of the failure, and details for the hint. */
export interface ErrorMeaning {
  readonly reason: Exclude<FailureReason, 'missing_fields' | 'invalid_arguments' | 'unknown_tool' | 'interrupted'>
  /** Action that the hint recommends to the model. Default: the default action for the reason. */
  readonly action?: 'correct_call' | 'replan'
  /** True if the service may have executed the request, but sent no valid response. */
  readonly mayHaveRun?: true
  /** True if the runtime must use this meaning, and must not look for a more precise meaning in the causes of the error. */
  readonly isExact?: true
}

export const WRONG_VALUES: ErrorMeaning = { reason: 'domain_rejection', action: 'correct_call' }

export const REJECTED: ErrorMeaning = { reason: 'domain_rejection' }

export const DENIED: ErrorMeaning = { reason: 'denied' }

export const RATE_LIMITED: ErrorMeaning = { reason: 'rate_limited' }

export const UNAVAILABLE: ErrorMeaning = { reason: 'unavailable' }

/** The service sent no valid response, but may have executed the request. */
export const BROKEN_OFF: ErrorMeaning = { reason: 'unavailable', mayHaveRun: true }

export const TIMEOUT: ErrorMeaning = { reason: 'timeout' }

export const CANCELLED: ErrorMeaning = { reason: 'cancelled' }

/** The executor sends a wrong request, for example with an unsupported HTTP method. */
export const INTERNAL: ErrorMeaning = { reason: 'internal' }

export type Row<Fact> = readonly [meaning: ErrorMeaning, ...facts: readonly Fact[]]

export function meaningsOf<Fact>(rows: readonly Row<Fact>[]): ReadonlyMap<unknown, ErrorMeaning> {
  return new Map(rows.flatMap(([meaning, ...facts]) => facts.map((fact) => [fact, meaning] as const)))
}

export const STATUS_ROWS: readonly Row<number>[] = [
  [WRONG_VALUES, 400, 413, 414, 422],
  [DENIED, 401, 403, 407, 451],
  [INTERNAL, 405, 406, 411, 415, 426, 428, 431, 501, 505],
  [TIMEOUT, 408, 504, 524],
  [UNAVAILABLE, 423, 425, 503],
  [RATE_LIMITED, 429],
]

const BY_STATUS = meaningsOf(STATUS_ROWS)

export function meaningOfResponse(status: number, ...sources: readonly unknown[]): ErrorMeaning {
  // Some services return 403 when a rate limit is reached.
  const isLimit = (source: unknown): boolean =>
    responseHeader(source, 'retry-after') !== undefined || responseHeader(source, 'x-ratelimit-remaining') === '0'
  if (status === 403 && sources.some(isLimit)) return RATE_LIMITED
  return BY_STATUS.get(status) ?? (status >= 500 ? BROKEN_OFF : REJECTED)
}

export function httpStatus(error: unknown): number | undefined {
  const paths = ['status', 'statusCode', 'response.status', 'response.statusCode']
  return paths.map((path) => peekFirst(error, path)).find(isFailedStatus)
}

export function isFailedStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
}

/** Network error codes of Node and undici. */
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

export const JSON_RPC_ROWS: readonly Row<number>[] = [
  [INTERNAL, -32700, -32600, -32601, -32603],
  [WRONG_VALUES, -32602],
  [BROKEN_OFF, -32000],
  [TIMEOUT, -32001],
  [REJECTED, -32002],
  [DENIED, -32042],
  [CANCELLED, -32800],
]

const MCP_CALL_ROWS: readonly Row<string>[] = [
  // There was no connection, so the request was not sent.
  [{ reason: 'unavailable', isExact: true }, 'unreachable'],
  [BROKEN_OFF, 'closed'],
  [TIMEOUT, 'timeout'],
  [DENIED, 'unauthorized'],
  [{ reason: 'malformed_result' }, 'malformed', 'too_large'],
]

const BY_CODE = meaningsOf<string | number>([...CODE_ROWS, ...JSON_RPC_ROWS])

const BY_MCP_CALL = meaningsOf(MCP_CALL_ROWS)

export function meaningOfCode(error: unknown): ErrorMeaning | undefined {
  const isMcpCall = peek(error, 'name') === 'McpCallError'
  const known = isMcpCall ? BY_MCP_CALL.get(peek(error, 'code')) : undefined
  if (known !== undefined) return known
  const code = peek(error, isMcpCall ? 'rpcCode' : 'code')
  // JSON-RPC reserves -32099 to -32000 for errors of servers.
  const isOfServer = typeof code === 'number' && Number.isInteger(code) && code >= -32099 && code <= -32000
  return BY_CODE.get(code) ?? (isOfServer ? BROKEN_OFF : undefined)
}

export const NAME_ROWS: readonly Row<string>[] = [
  [TIMEOUT, 'TimeoutError'],
  [CANCELLED, 'AbortError'],
]

export const BY_NAME: ReadonlyMap<unknown, ErrorMeaning> = meaningsOf(NAME_ROWS)
