/**
 * Kinds of failed requests to an MCP server:
 *
 * - `unreachable`: no connection; the request was not sent
 * - `closed`: the connection ended during the call
 * - `timeout`: no response in time
 * - `refused`: the server returned a JSON-RPC error; the error message is that of the server
 * - `http`: the server returned an error with an HTTP `status`
 * - `unauthorized`: the user must log in, or the login failed; the message says what to do
 * - `malformed`: the response violates the protocol
 * - `too_large`: the response is longer than `maxMessageBytes`
 */
export type McpCallErrorCode =
  | 'unreachable'
  | 'closed'
  | 'timeout'
  | 'refused'
  | 'http'
  | 'unauthorized'
  | 'malformed'
  | 'too_large'

/** Optional properties of an {@link McpCallError}. */
export interface McpCallErrorDetails {
  /** JSON-RPC code of the server's error. Absent if the server returned no JSON-RPC error. */
  readonly rpcCode?: number
  /** HTTP status of the response. Absent without an HTTP error. */
  readonly status?: number
  /** Time in milliseconds that the client must wait before it repeats the request (`Retry-After`). Absent if the server sent none. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/**
 * Thrown by callers of MCP servers if a request fails. In a failed outcome, this error is `error.cause`. If the server rejected the
 * arguments, this error is the cause of `error.cause`. The message is for developers. If a server process died, the message quotes its
 * stderr.
 *
 * @example
 * await caller.listTools().catch((error) => {
 *   if (isToolgenError(error, 'McpCallError') && error.code === 'unreachable') console.error(error.message, error.cause)
 * })
 */
export class McpCallError extends Error {
  override readonly name = 'McpCallError'
  readonly code: McpCallErrorCode
  readonly rpcCode: number | undefined
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(code: McpCallErrorCode, message: string, details: McpCallErrorDetails = {}) {
    const { rpcCode, status, retryAfterMs, cause } = details
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
    this.rpcCode = rpcCode
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}
