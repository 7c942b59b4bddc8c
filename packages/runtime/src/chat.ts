/**
 * Chat messages, histories, streamed replies and run items: `@toolgen/runtime/chat`.
 *
 * @module
 */

export { ChatMessageError } from './chat/chat-message-error.js'
export type { ChatMessageIssue } from './chat/history.js'
export { validateHistory } from './chat/history.js'
export type { StreamedReply } from './chat/replies.js'
export { accumulateChunks, ReplyAccumulator } from './chat/replies.js'
export { chatMessages, runItems } from './chat/run-items.js'
export type {
  ChatAssistantMessage,
  ChatContentPart,
  ChatFunctionToolCall,
  ChatMessage,
  ChatRequest,
  ChatSystemMessage,
  ChatToolCall,
  ChatToolMessage,
  ChatUserMessage,
  HandoffItem,
  MessageItem,
  RunItem,
  ToolOutputItem,
} from './types/chat.js'
export type { ChatChunk } from './types/chat-reply.js'
