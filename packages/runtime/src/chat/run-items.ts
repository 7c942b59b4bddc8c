import { isFields } from '../codec/json/kind.js'
import type { ChatMessage } from '../contract/chat-message.js'
import type { RunItem } from '../contract/run-item.js'
import { ChatMessageError } from './chat-message-error.js'
import { shapeFaults } from './message-shape.js'
import { ownField } from './shape-rule.js'

/** Names of message fields that the item's own `kind` would cover up. */
const covered = /^kind_*$/
const escaped = /^kind_+$/

/**
 * A conversation as run items, one item per message. Nothing is lost: {@link chatMessages} gives the same messages back
 * with the same JSON text, with unknown fields, malformed arguments and the order of fields.
 *
 * @throws {@link ChatMessageError} for the first message that is not of chat completions.
 *
 * @example
 * const items = runItems(run.messages)
 * const outputs = items.filter((item) => item.kind === 'tool_output')
 */
export function runItems(messages: readonly ChatMessage[]): readonly RunItem[] {
  return Array.from(messages, (message, index) => {
    const [fault] = shapeFaults(message)
    if (fault !== undefined) throw new ChatMessageError(index, fault)
    return itemOf(message)
  })
}

/**
 * The messages that items stand for, as they were; items that only agents know, such as a handoff, have none.
 *
 * @throws {@link ChatMessageError} for the first item of no known kind, or whose message is not of chat completions.
 */
export function chatMessages(items: readonly RunItem[]): readonly ChatMessage[] {
  return Array.from(items, messagesOf).flat()
}

function itemOf(message: ChatMessage): RunItem {
  const kept = renamed(message, covered, (name) => `${name}_`)
  return kept.role === 'tool' ? { kind: 'tool_output', ...kept } : { kind: 'message', ...kept }
}

function messagesOf(item: RunItem, index: number): readonly ChatMessage[] {
  const fault = itemFault(item)
  if (fault !== undefined) throw new ChatMessageError(index, fault)
  if (item.kind === 'handoff') return []
  const { kind, ...message } = item
  const kept = renamed(message, escaped, (name) => name.slice(0, -1))
  const [shapeFault] = shapeFaults(kept)
  if (shapeFault !== undefined) throw new ChatMessageError(index, shapeFault)
  if ((kind === 'tool_output') !== (kept.role === 'tool')) {
    const message = `An item of kind "${kind}" cannot have the role "${kept.role}".`
    throw new ChatMessageError(index, { kind: 'unknown_item', path: '/kind', message })
  }
  return [kept]
}

/** Items may come from a store: their kind is not taken on trust. */
function itemFault(item: unknown): { kind: 'unknown_item'; path: string; message: string } | undefined {
  const kind = isFields(item) ? ownField(item, 'kind') : undefined
  if (kind === 'message' || kind === 'tool_output' || kind === 'handoff') return undefined
  const message = 'An item must be of kind "message", "tool_output" or "handoff".'
  return { kind: 'unknown_item', path: '/kind', message }
}

/** A message under other names for its unknown fields, in the same order; the message itself where none has to change. */
function renamed<Message extends object>(message: Message, pattern: RegExp, rename: (name: string) => string): Message {
  if (!Object.keys(message).some((name) => pattern.test(name))) return message
  // Names of known fields never match, so the copy is of the same type; entries cannot say so, hence `any`.
  const entries: readonly any[][] = Object.entries(message).map(([name, value]) => [
    pattern.test(name) ? rename(name) : name,
    value,
  ])
  return Object.fromEntries(entries)
}
