/**
 * What went wrong between a caller and its server:
 * - `unreachable`: there is no connection, nothing was asked;
 * - `closed`: the connection ended while the call was under way;
 * - `timeout`: no answer came in time;
 * - `refused`: the server answered with a JSON-RPC error, whose `code` and message it is;
 * - `http`: the server answered with an HTTP `status`;
 * - `malformed`: the answer breaks the protocol;
 * - `too_large`: the answer is longer than the caller takes.
 */
export type McpCallFault = keyof typeof FAULTS

const FAULTS = {
  unreachable: true,
  closed: true,
  timeout: true,
  refused: true,
  http: true,
  malformed: true,
  too_large: true,
} as const

/** The codes that say to the table of errors what a fault means. */
const CODES: Readonly<Partial<Record<McpCallFault, number>>> = { closed: -32000, timeout: -32001 }

/** What is known of a fault beside its name. */
export interface McpCallFacts {
  /** The JSON-RPC code, where the server sent one. */
  readonly code?: number
  /** The HTTP status, where the server answered with one. */
  readonly status?: number
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs?: number
  readonly cause?: unknown
}

/**
 * Thrown by callers of MCP servers. Its message is for people, but for that of a JSON-RPC error: this is the server's. It is
 * `error.cause` of the outcome of a failed call, but where a server refused the arguments: there it is the cause of that. Where
 * a server has died that was started over stdio, the message quotes what it wrote to stderr.
 *
 * @example
 * await caller.listTools().catch((error) => {
 *   if (isToolgenError(error, 'McpCallError') && error.fault === 'unreachable') console.error(error.message, error.cause)
 * })
 */
export class McpCallError extends Error {
  override readonly name = 'McpCallError'
  readonly fault: McpCallFault
  readonly code: number | undefined
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(fault: McpCallFault, message: string, facts: McpCallFacts = {}) {
    const { code = CODES[fault], status, retryAfterMs, cause } = facts
    super(message, cause === undefined ? undefined : { cause })
    this.fault = fault
    this.code = code
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** Whether something thrown is a {@link McpCallError}, also one of another copy of this package. */
export function isMcpCallError(error: unknown): error is McpCallError {
  return (
    error instanceof Error &&
    error.name === 'McpCallError' &&
    'fault' in error &&
    typeof error.fault === 'string' &&
    Object.hasOwn(FAULTS, error.fault)
  )
}
