/**
 * Kinds of failed requests to an MCP server:
 *
 * - `unreachable`: the client could not connect to the server, so the request was not sent
 * - `closed`: the connection ended during the call
 * - `timeout`: the response did not arrive in time, or the task of the call expired
 * - `refused`: the server returned a JSON-RPC error, and the error message is the server's message; or the server cancelled or forgot the task of the
 *   call, or needs an answer that this client cannot give
 * - `http`: the server returned an error with an HTTP `status`
 * - `unauthorized`: the user must log in, or the login failed; the message describes the next step
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

export interface McpCallErrorDetails {
  readonly rpcCode?: number
  readonly status?: number
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/**
 * Error of a failed request to an MCP server. In a failed outcome of a tool call, `error.cause` is this error. If the server rejected the arguments,
 * `error.cause.cause` is this error. The message is for developers. If a server process ended unexpectedly, the message quotes its stderr.
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
