import { isFields } from '../codec/json/kind.js'
import type { ChatMessage } from '../contract/chat-message.js'

/** Whether a value is a list of messages, as far as their roles tell. */
export function isConversation(value: unknown): value is readonly ChatMessage[] {
  return Array.isArray(value) && value.every((message) => isFields(message) && typeof message.role === 'string')
}
