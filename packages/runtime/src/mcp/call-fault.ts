import { isMcpCallError, McpCallError } from '../execute/mcp/mcp-call-error.js'
import { ServerEnd } from './transport/server-end.js'

/** What the SDK fails requests with whose connection is closed. */
const CONNECTION_CLOSED = -32000

/** What is known of the connection of a request that failed. */
export interface FailedOn {
  readonly isClosed: boolean
  /** What went wrong on the connection beside its requests, the last one. */
  readonly lastError: unknown
}

/**
 * What a request failed by, from what the SDK threw. Errors of the network stay as they are: the table of errors reads
 * their codes.
 */
export function callFault(error: unknown, { isClosed, lastError }: FailedOn): unknown {
  if (!(error instanceof Error) || isMcpCallError(error)) return error
  const { name, message } = error
  const code = 'code' in error && typeof error.code === 'number' ? error.code : undefined
  if (name === 'McpError' && code !== undefined) return answeredFault(error, code, { isClosed, lastError })
  if (name === 'ZodError' || name === '$ZodError' || name === 'SyntaxError') {
    return new McpCallError('malformed', 'the answer breaks the Model Context Protocol', { cause: error })
  }
  if (code !== undefined && code >= 400 && code < 600) {
    return new McpCallError('http', message, { status: code, cause: error })
  }
  if (code === -1) return new McpCallError('malformed', message, { cause: error })
  return isClosed ? closedFault(lastError ?? error) : error
}

function answeredFault(error: Error, code: number, { isClosed, lastError }: FailedOn): McpCallError {
  // Of an answer that this side gave; what a server sends is never an error by itself.
  if ('data' in error && isMcpCallError(error.data)) return error.data
  // Once by the server's SDK, once by this side's.
  const message = error.message.replace(/^(MCP error -?\d+: )+/, '')
  if (code === CONNECTION_CLOSED && isClosed) return closedFault(lastError ?? error)
  return new McpCallError('refused', message, { code, cause: error })
}

/** A request may be that of the handshake: nobody has called then. */
function closedFault(cause: unknown): McpCallError {
  if (cause instanceof ServerEnd) return new McpCallError('closed', cause.unanswered)
  return new McpCallError('closed', 'the connection was closed before the server answered', { cause })
}
