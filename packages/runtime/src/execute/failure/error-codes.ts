import type { Verdict } from './http-status.js'
import { peek } from './peek.js'

function table(rows: readonly (readonly [Verdict['reason'], readonly string[]])[]): ReadonlyMap<string, Verdict> {
  return new Map(rows.flatMap(([reason, names]) => names.map((name): [string, Verdict] => [name, { reason }])))
}

/** The codes of Node, of undici, axios and Slack, as text. */
const BY_CODE = table([
  [
    'unavailable',
    [
      ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EPIPE', 'EHOSTUNREACH', 'EHOSTDOWN'],
      ...['ENETUNREACH', 'ENETDOWN', 'ENETRESET', 'ENOTCONN', 'EADDRNOTAVAIL', 'EBUSY', 'EAGAIN', 'EMFILE', 'ENFILE'],
      ...['UND_ERR_SOCKET', 'UND_ERR_CLOSED', 'UND_ERR_DESTROYED', 'UND_ERR_BPL_MISSING_UPSTREAM'],
      ...['ERR_NETWORK', 'ERR_SOCKET_CLOSED', 'ERR_STREAM_PREMATURE_CLOSE', 'slack_webapi_request_error'],
    ],
  ],
  [
    'timeout',
    [
      ...['ETIMEDOUT', 'ESOCKETTIMEDOUT', 'ECONNABORTED', 'ERR_SOCKET_CONNECTION_TIMEOUT'],
      ...['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'],
    ],
  ],
  ['cancelled', ['ABORT_ERR', 'ERR_CANCELED', 'ECANCELED', 'UND_ERR_ABORTED']],
  ['rate_limited', ['slack_webapi_rate_limited_error']],
])

/** Names of errors, as `name` or as the name of the class. */
const BY_NAME = table([
  ['timeout', ['TimeoutError', 'ConnectTimeoutError', 'HeadersTimeoutError', 'BodyTimeoutError']],
  ['timeout', ['APIConnectionTimeoutError', 'RequestTimeout', 'RequestTimeoutException']],
  ['cancelled', ['AbortError', 'APIUserAbortError', 'CanceledError', 'RequestAbortedError']],
  ['unavailable', ['APIConnectionError', 'StripeConnectionError', 'BrokenCircuitError', 'BulkheadRejectedError']],
  ['rate_limited', ['ThrottlingException', 'Throttling', 'TooManyRequestsException', 'SlowDown']],
  ['rate_limited', ['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'LimitExceededException']],
])

/** The codes of JSON-RPC 2.0 and of the Model Context Protocol. */
const BY_RPC_CODE: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  [-32700, { reason: 'internal' }],
  [-32600, { reason: 'internal' }],
  [-32601, { reason: 'internal' }],
  [-32602, { reason: 'domain_rejection', action: 'correct_call' }],
  [-32603, { reason: 'internal' }],
  [-32000, { reason: 'unavailable' }],
  [-32001, { reason: 'timeout' }],
  [-32002, { reason: 'domain_rejection' }],
])

/** The status codes of gRPC, by number. */
const BY_GRPC_CODE: readonly (Verdict | undefined)[] = [
  undefined,
  { reason: 'cancelled' },
  { reason: 'internal' },
  { reason: 'domain_rejection', action: 'correct_call' },
  { reason: 'timeout' },
  { reason: 'domain_rejection' },
  { reason: 'domain_rejection' },
  { reason: 'denied' },
  { reason: 'rate_limited' },
  { reason: 'domain_rejection' },
  { reason: 'unavailable' },
  { reason: 'domain_rejection', action: 'correct_call' },
  { reason: 'internal' },
  { reason: 'internal' },
  { reason: 'unavailable' },
  { reason: 'internal' },
  { reason: 'denied' },
]

/** Conditions of PostgreSQL, by SQLSTATE, then by its class (the first two characters). */
const BY_SQL_STATE: ReadonlyMap<string, Verdict> = new Map<string, Verdict>([
  ['08', { reason: 'unavailable' }],
  ['22', { reason: 'domain_rejection', action: 'correct_call' }],
  ['23', { reason: 'domain_rejection' }],
  ['40', { reason: 'unavailable' }],
  ['42501', { reason: 'denied' }],
  ['53', { reason: 'unavailable' }],
  ['55P03', { reason: 'unavailable' }],
  ['57', { reason: 'unavailable' }],
  ['57014', { reason: 'timeout' }],
  ['P0001', { reason: 'domain_rejection' }],
])

/** What the code of an error says; `undefined` where it says nothing. */
export function verdictOfCode(error: unknown): Verdict | undefined {
  const code = peek(error, 'code')
  if (typeof code === 'string') return BY_CODE.get(code) ?? verdictOfSqlState(code)
  if (typeof code !== 'number') return undefined
  if (code < 0) return code <= -32003 && code >= -32099 ? { reason: 'unavailable' } : BY_RPC_CODE.get(code)
  return isGrpc(error) ? BY_GRPC_CODE[code] : undefined
}

/** What the name of an error, or of its class, says; `undefined` where it says nothing. */
export function verdictOfName(error: unknown): Verdict | undefined {
  return nameVerdict(peek(error, 'name')) ?? nameVerdict(peek(peek(error, 'constructor'), 'name'))
}

function nameVerdict(name: unknown): Verdict | undefined {
  return typeof name === 'string' ? BY_NAME.get(name) : undefined
}

function verdictOfSqlState(code: string): Verdict | undefined {
  // A digit tells a SQLSTATE from an errno of five letters.
  if (!/^(?=.*\d)[0-9A-Z]{5}$/.test(code)) return undefined
  return BY_SQL_STATE.get(code) ?? BY_SQL_STATE.get(code.slice(0, 2)) ?? { reason: 'internal' }
}

function isGrpc(error: unknown): boolean {
  return peek(error, 'details') !== undefined || peek(error, 'metadata') !== undefined
}
