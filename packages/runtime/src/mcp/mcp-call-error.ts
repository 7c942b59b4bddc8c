/**
 * The kinds of failed requests of a caller:
 * - `unreachable`: there is no connection, nothing was sent;
 * - `closed`: the connection ended during the call;
 * - `timeout`: no answer came in time;
 * - `refused`: the server answered with a JSON-RPC error, whose message it is;
 * - `http`: the server answered with an HTTP `status`;
 * - `malformed`: the answer breaks the protocol;
 * - `too_large`: the answer is longer than the caller accepts.
 */
export type McpCallErrorCode = 'unreachable' | 'closed' | 'timeout' | 'refused' | 'http' | 'malformed' | 'too_large'

/** Fields of an {@link McpCallError}. */
export interface McpCallErrorDetails {
  /** The JSON-RPC code of the server's error. */
  readonly rpcCode?: number
  /** The HTTP status of the server's answer. */
  readonly status?: number
  /** The time that the server asks to wait, in milliseconds. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/**
 * Thrown by callers of MCP servers. Its message is for people, except that of a JSON-RPC error, which is the server's. It is
 * `error.cause` of the outcome of a failed call; if a server refused the arguments, it is the cause of that. If a server died
 * that was started over stdio, the message quotes what it wrote to stderr.
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
