import { peek } from './peek.js'
import { verdictOfNumber } from './rpc-codes.js'
import { verdictOfSqlState } from './sql-states.js'
import {
  BROKEN_OFF,
  CANCELLED,
  INTERNAL,
  RATE_LIMITED,
  type Row,
  TIMEOUT,
  UNAVAILABLE,
  type Verdict,
  verdictsOf,
} from './verdict.js'

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
export function verdictOfCode(error: unknown): Verdict | undefined {
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
