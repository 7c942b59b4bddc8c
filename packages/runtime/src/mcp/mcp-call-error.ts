/**
 * Kinds of failed requests to an MCP server:
 *
 * - `unreachable`: no connection; the request was not sent
 * - `closed`: the connection ended during the call
 * - `timeout`: no response in time
 * - `refused`: the server returned a JSON-RPC error; the message is the server's
 * - `http`: the server returned an error with an HTTP `status`
 * - `malformed`: the response violates the protocol
 * - `too_large`: the response is longer than `maxMessageBytes`
 */
export type McpCallErrorCode = 'unreachable' | 'closed' | 'timeout' | 'refused' | 'http' | 'malformed' | 'too_large'

/** Fields of an {@link McpCallError}. */
export interface McpCallErrorDetails {
  /** JSON-RPC code of the server's error. */
  readonly rpcCode?: number
  /** HTTP status of the response. */
  readonly status?: number
  /** Wait that the server asks for, in milliseconds. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/**
 * Thrown by callers of MCP servers. It is the `error.cause` of a failed outcome. If the server rejected the arguments,
 * it is the cause of that cause. The message is for developers; that of a JSON-RPC error is the server's. If a server
 * started over stdio died, the message quotes its stderr.
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
