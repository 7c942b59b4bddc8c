import type { ChatMessage } from './chat-message.js'

/** The fields of a chat request beside its messages, e.g. `temperature` or `metadata`. They travel unchanged. */
export type ChatFields = Readonly<Record<string, unknown>>

/**
 * A raw chat request: a conversation, and whatever else its author set for the model.
 *
 * @example
 * const request: ChatRequest = { messages: [{ role: 'user', content: 'Where is A-1001?' }], temperature: 0 }
 */
export interface ChatRequest {
  readonly messages: readonly ChatMessage[]
  readonly [field: string]: unknown
}
