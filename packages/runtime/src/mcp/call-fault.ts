import { isMcpCallError, McpCallError } from '../execute/mcp/mcp-call-error.js'
import { BROKEN_OFF, TOO_LARGE } from './transport/own-answer.js'

const TIMED_OUT = -32001

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
  return isClosed ? new McpCallError('closed', 'the connection was closed', { cause: lastError ?? error }) : error
}

function answeredFault(error: Error, code: number, { isClosed, lastError }: FailedOn): McpCallError {
  const mark = 'data' in error ? error.data : undefined
  // Once by the server's SDK, once by this side's.
  const message = error.message.replace(/^(MCP error -?\d+: )+/, '')
  if (mark === TOO_LARGE) return new McpCallError('too_large', message, { cause: error })
  if (mark === BROKEN_OFF || isClosed) {
    return new McpCallError('closed', 'the connection was closed during the call', { cause: lastError ?? error })
  }
  if (code === TIMED_OUT) return new McpCallError('timeout', message, { cause: error })
  return new McpCallError('refused', message, { code, cause: error })
}
