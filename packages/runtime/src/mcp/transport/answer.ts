import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCResultResponse,
  RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { McpCallError } from '../../execute/mcp/mcp-call-error.js'

/** An answer to a request that it names. */
export type Answer = JSONRPCResultResponse | (JSONRPCErrorResponse & { id: RequestId })

/** Whether a message answers a request. */
export function isAnswer(message: JSONRPCMessage): message is Answer {
  return !('method' in message) && message.id !== undefined
}

/** An answer that this side gives in place of the server's. No server can forge it: its data is an error, and JSON has none. */
export function ownAnswer(id: RequestId, fault: McpCallError): Answer {
  return { jsonrpc: '2.0', id, error: { code: -32000, message: fault.message, data: fault } }
}

/** The fault of an answer that is longer than what is taken, in bytes. */
export function tooLarge(maxMessageBytes: number): McpCallError {
  return new McpCallError('too_large', `an answer is longer than ${maxMessageBytes} bytes`)
}

/** The fault of an answer that is none. */
export function brokenAnswer(cause?: unknown): McpCallError {
  return new McpCallError('malformed', 'the answer breaks the Model Context Protocol', { cause })
}
