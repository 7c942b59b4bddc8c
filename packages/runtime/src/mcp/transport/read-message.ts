import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { isFields } from '../../codec/json/kind.js'
import { brokenAnswer, ownAnswer } from './answer.js'

/** What a value is that a server sent: a message, or what is known of something that is none. */
export type ReadMessage =
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
