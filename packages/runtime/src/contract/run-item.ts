import type { ChatMessage, ChatToolMessage } from './chat-message.js'

/**
 * A message of a conversation, all but the answers to calls: its own fields in their own order, behind `kind`. A field
 * of the message that is called `kind` itself, or `kind_`, bears one `_` more here.
 */
export type MessageItem = { readonly kind: 'message' } & Exclude<ChatMessage, ChatToolMessage>

/** The answer to a call: the fields of the tool message in their own order, behind `kind`. */
export type ToolOutputItem = { readonly kind: 'tool_output' } & ChatToolMessage

/** One agent handed over to another, when a nested run starts and when it ends. No message stands for it. */
export interface HandoffItem {
  readonly kind: 'handoff'
  readonly from_agent: string
  readonly to_agent: string
  readonly reason?: string
}

/** One thing that a run said or did. Each message of the conversation is exactly one item. */
export type RunItem = MessageItem | ToolOutputItem | HandoffItem
