import type { ChatMessage, ChatToolMessage } from './chat-message.js'

/**
 * A message of a conversation, all but the answers to calls: its own fields in their own order, behind `kind`. A field
 * of the message that is called `kind` itself, or `kind_`, bears one `_` more here.
 */
export type MessageItem = { readonly kind: 'message' } & Exclude<ChatMessage, ChatToolMessage>

/** The answer to a call: the fields of the tool message in their own order, behind `kind`. */
export type ToolOutputItem = { readonly kind: 'tool_output' } & ChatToolMessage

/**
 * A handoff from one agent to another, when a nested run starts or continues (`reason` is `started` or `resumed`) and when it
 * ends (`reason` is the status of that run). No message belongs to it. `runItems(run)` makes it of a `handoff` event.
 */
export interface HandoffItem {
  readonly kind: 'handoff'
  readonly from_agent: string
  readonly to_agent: string
  readonly reason?: string
}

/** One thing that a run said or did. Each message of the conversation is exactly one item. */
export type RunItem = MessageItem | ToolOutputItem | HandoffItem
