import { isFields } from '../schema/json-values.js'
import type { ChatMessage, HandoffItem, RunItem } from '../types/chat.js'
import type { AgentRun, RunEvent } from '../types/run.js'
import { ChatMessageError } from './chat-message-error.js'
import { messageCalls } from './message-calls.js'
import { ownField, shapeIssues } from './messages.js'

/**
 * Converts a conversation to run items, one item per message. {@link chatMessages} converts the items back to equal
 * messages, including unknown properties, malformed arguments and the order of properties.
 *
 * If the argument is a run with `handoff` events, adds a {@link HandoffItem} for each event, after the message with the
 * call that started the nested run.
 *
 * @throws {@link ChatMessageError} for the first invalid message.
 *
 * @example
 * const run = await support.run('Where is my order?', { deepTracing: true })
 * const handoffs = runItems(run).filter((item) => item.kind === 'handoff')
 */
export function runItems(
  source: readonly ChatMessage[] | Pick<AgentRun, 'runId' | 'messages' | 'events'>,
): readonly RunItem[] {
  const isRun = 'events' in source
  const items = Array.from(isRun ? source.messages : source, (message, index) => {
    requireMessage(message, index)
    return runItem(message)
  })
  if (!isRun) return items
  const handoffs = locatedHandoffs(source)
  return items.flatMap((item, index) => [
    item,
    ...handoffs.flatMap((handoff) => (handoff.position === index ? [handoff.item] : [])),
  ])
}

/** The handoff follows the message with the index `position`, whose call started the nested run. */
function locatedHandoffs({ runId, messages, events }: Pick<AgentRun, 'runId' | 'messages' | 'events'>): readonly {
  readonly item: HandoffItem
  readonly position: number
}[] {
  const found: { readonly event: Extract<RunEvent, { type: 'handoff' }>; readonly step: number }[] = []
  let steps = 0
  let isNewStep = false
  for (const event of events) {
    if (event.type === 'handoff') found.push({ event, step: steps - 1 })
    if (event.runId !== runId) continue
    if (event.type === 'step_started') isNewStep = true
    if (event.type !== 'call_started' || !isNewStep) continue
    isNewStep = false
    steps += 1
  }
  if (found.length === 0) return []
  const ids = messages.map((message) => messageCalls(message).calls.map(({ callId }) => callId))
  // Considers only messages of this run, because runs can use the same call ids. The events of a repeated call contain
  // another id than the message.
  const calling = ids.flatMap((ofMessage, index) => (ofMessage.length > 0 ? [index] : [])).slice(-steps)
  let position = -1
  return found.map(({ event, step }) => {
    const { call, fromAgent, toAgent, reason } = event
    // A handoff inside a nested run follows the handoff that started the nested run.
    if (event.runId === runId) {
      position = calling.find((index) => ids[index]?.includes(call.toolCallId)) ?? calling[step] ?? messages.length - 1
    }
    const item = { kind: 'handoff', from_agent: fromAgent, to_agent: toAgent } as const
    return { item: reason === undefined ? item : { ...item, reason }, position }
  })
}

/**
 * Converts run items back to the original messages. Omits items without a message, such as handoffs.
 *
 * @throws {@link ChatMessageError} for the first item with an unknown kind or an invalid message.
 */
export function chatMessages(items: readonly RunItem[]): readonly ChatMessage[] {
  return Array.from(items, messagesOf).flat()
}

function requireMessage(message: unknown, index: number): void {
  const [issue] = shapeIssues(message)
  if (issue !== undefined) throw new ChatMessageError(index, issue)
}

export function runItem(message: ChatMessage): RunItem {
  // Renames properties of a message that collide with the item's `kind`.
  const fields = renamed(message, /^kind_*$/, (name) => `${name}_`)
  return fields.role === 'tool' ? { kind: 'tool_output', ...fields } : { kind: 'message', ...fields }
}

function messagesOf(item: RunItem, index: number): readonly ChatMessage[] {
  const unknownItem = (message: string): ChatMessageError =>
    new ChatMessageError(index, { code: 'unknown_item', path: '/kind', message })
  // Items from a store can be invalid.
  const kind = isFields(item) ? ownField(item, 'kind') : undefined
  if (kind === 'handoff') return []
  if (kind !== 'message' && kind !== 'tool_output') {
    throw unknownItem('An item must have the kind "message", "tool_output" or "handoff".')
  }
  const { kind: _kind, ...fields } = item
  // `any`: an item without its kind is a message.
  const message: ChatMessage = renamed<any>(fields, /^kind_+$/, (name) => name.slice(0, -1))
  requireMessage(message, index)
  if ((kind === 'tool_output') !== (message.role === 'tool')) {
    throw unknownItem(`An item of kind "${kind}" cannot have the role "${message.role}".`)
  }
  return [message]
}

function renamed<Message extends object>(message: Message, pattern: RegExp, rename: (name: string) => string): Message {
  if (!Object.keys(message).some((name) => pattern.test(name))) return message
  // Names of known properties never match, so the type stays the same. `any`: entries have no precise type.
  const entries: readonly any[][] = Object.entries(message).map(([name, value]) => [
    pattern.test(name) ? rename(name) : name,
    value,
  ])
  return Object.fromEntries(entries)
}
