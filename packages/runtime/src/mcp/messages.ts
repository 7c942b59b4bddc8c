import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCResultResponse,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { McpCallError } from '../executors/mcp-call-error.js'
import { isFields } from '../schema/json-values.js'

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

/** A request whose stream ended early. */
export interface Resumable {
  readonly id: RequestId
  /** How often it could not be taken up. */
  failures: number
}

/**
 * The requests of a connection over HTTP that wait for an answer. Answers are read here, ahead of the SDK: it is handed a short
 * stand-in for each, as text, and what it takes the stand-in for is replaced by the answer on its way to the client. So nothing
 * is parsed twice, and what this side says of an answer cannot be said by a server.
 */
export class OpenRequests {
  readonly #open = new Map<string, AbortController>()
  readonly #answers = new Map<string, Answer>()
  readonly #resumable = new Map<string, Resumable>()

  /** @returns ends what is still under way of the request once nobody waits for its answer any more */
  begin(id: RequestId): AbortController {
    const controller = new AbortController()
    this.#open.set(String(id), controller)
    return controller
  }

  has(id: RequestId): boolean {
    return this.#open.has(String(id))
  }

  /** Nobody waits for the answer any more: what is under way for it is ended. */
  cancel(id: RequestId): void {
    const controller = this.#open.get(String(id))
    this.forget(id)
    controller?.abort()
  }

  /** The request has failed by itself. */
  forget(id: RequestId): void {
    this.#open.delete(String(id))
    this.#answers.delete(String(id))
  }

  /** Takes an answer; returns its stand-in as JSON. */
  answer(answer: Answer): string {
    this.#open.delete(String(answer.id))
    this.#answers.set(String(answer.id), answer)
    return JSON.stringify({ jsonrpc: '2.0', id: answer.id, result: {} })
  }

  /** The answer that a message stands for; any other message as it is. */
  replaced(message: JSONRPCMessage): JSONRPCMessage {
    if (!isAnswer(message)) return message
    const answer = this.#answers.get(String(message.id))
    this.#answers.delete(String(message.id))
    return answer ?? message
  }

  /** The stream of a request has ended early; it may be taken up after an event. */
  mayResume(eventId: string, id: RequestId): void {
    this.#resumable.set(eventId, { id, failures: 0 })
  }

  /** What is to be taken up after an event. */
  resumable(eventId: string): Resumable | undefined {
    return this.#resumable.get(eventId)
  }

  /** Nothing is to be taken up after that event any more. */
  forgetEvent(eventId: string): void {
    this.#resumable.delete(eventId)
  }
}

/** What a value is that a server sent: a message, or what is known of something that is none. */
type ReadMessage =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  /** `answer` fails the request that it names, if it names one. */
  | { readonly kind: 'garbage'; readonly cause: unknown; readonly answer: JSONRPCMessage | undefined }

/** Reads a message. What would be an answer but for breaking the protocol has an error answer in its place. */
export function readMessage(text: string): ReadMessage {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    return { kind: 'garbage', cause, answer: undefined }
  }
  return readValue(value)
}

/** Reads a message that is parsed already. */
export function readValue(value: unknown): ReadMessage {
  const read = JSONRPCMessageSchema.safeParse(value)
  if (read.success) return { kind: 'message', message: read.data }
  const id = isFields(value) && !('method' in value) ? value.id : undefined
  const isId = typeof id === 'number' || typeof id === 'string'
  return { kind: 'garbage', cause: read.error, answer: isId ? ownAnswer(id, brokenAnswer(read.error)) : undefined }
}

/** What a message that is sent means for the requests of its connection. */
interface SentMessage {
  /** The request that it is; absent for an answer and a notification. */
  readonly request?: RequestId
  /** The request that it calls off. */
  readonly cancels?: RequestId
}

/** Reads what the SDK sends. */
export function sentMessage(body: unknown): SentMessage {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  if (!isFields(message) || typeof message.method !== 'string') return {}
  const { id, method, params } = message
  if (isId(id)) return { request: id }
  const cancelled = method === 'notifications/cancelled' && isFields(params) ? params.requestId : undefined
  return isId(cancelled) ? { cancels: cancelled } : {}
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'number' || typeof id === 'string'
}

/**
 * How this package names itself to the other side of a connection where the application gives no name of its own. The
 * version is the package's; it is written here, since what is bundled has no package.json to read.
 */
export const ownName: { readonly name: string; readonly version: string } = { name: 'toolgen', version: '0.1.0' }
