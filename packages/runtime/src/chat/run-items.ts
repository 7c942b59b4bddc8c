import { isFields } from '../schema/json-values.js'
import type { ChatMessage, HandoffItem, RunItem } from '../types/chat.js'
import type { AgentRun, RunEvent } from '../types/run.js'
import { ChatMessageError, messageCalls, ownField, shapeIssues } from './messages.js'

/** Names of message fields that the item's own `kind` would cover up. */
const covered = /^kind_*$/
const escaped = /^kind_+$/

/**
 * Converts a conversation to run items, one item per message. Nothing is lost: {@link chatMessages} returns the same messages
 * with the same JSON text, with unknown fields, malformed arguments and the order of fields.
 *
 * Of a whole run, each `handoff` event becomes a {@link HandoffItem} after the message with the call that started the nested
 * run.
 *
 * @throws {@link ChatMessageError} for the first message that is not of chat completions.
 *
 * @example
 * const run = await support.run('Where is my order?', { deepTracing: true })
 * const handoffs = runItems(run).filter((item) => item.kind === 'handoff')
 */
export function runItems(
  source: readonly ChatMessage[] | Pick<AgentRun, 'runId' | 'messages' | 'events'>,
): readonly RunItem[] {
  if (!('events' in source)) return Array.from(source, itemAt)
  const items = Array.from(source.messages, itemAt)
  const handoffs = placedHandoffs(source)
  const following = (index: number): readonly RunItem[] =>
    handoffs.flatMap(({ item, position }) => (position === index ? [item] : []))
  return handoffs.length === 0 ? items : items.flatMap((item, index) => [item, ...following(index)])
}

type HandoffEvent = Extract<RunEvent, { type: 'handoff' }>

/** The item of a `handoff` event. */
function handoffItem({ fromAgent, toAgent, reason }: HandoffEvent): HandoffItem {
  const item = { kind: 'handoff', from_agent: fromAgent, to_agent: toAgent } as const
  return reason === undefined ? item : { ...item, reason }
}

/** The handoffs of a run in order, each with the index of the message whose call started the nested run. */
function placedHandoffs({ runId, messages, events }: Pick<AgentRun, 'runId' | 'messages' | 'events'>): readonly {
  readonly item: HandoffItem
  readonly position: number
}[] {
  const found: { readonly event: HandoffEvent; readonly step: number }[] = []
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
  const calls = messages.map((message) => messageCalls(message).makes.map(({ callId }) => callId))
  // Ids may repeat: the messages before this run are left out, and a repeated call has another id in events.
  const asking = calls.flatMap((made, index) => (made.length > 0 ? [index] : [])).slice(-steps)
  let position = -1
  return found.map(({ event, step }) => {
    const { call } = event
    // A handoff inside a nested run follows the one that started that run.
    if (event.runId === runId)
      position = asking.find((index) => calls[index]?.includes(call.toolCallId)) ?? asking[step] ?? messages.length - 1
    return { item: handoffItem(event), position }
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

function itemAt(message: ChatMessage, index: number): RunItem {
  const [fault] = shapeIssues(message)
  if (fault !== undefined) throw new ChatMessageError(index, fault)
  return runItem(message)
}

/** The item of one message. */
export function runItem(message: ChatMessage): RunItem {
  const kept = renamed(message, covered, (name) => `${name}_`)
  return kept.role === 'tool' ? { kind: 'tool_output', ...kept } : { kind: 'message', ...kept }
}

function messagesOf(item: RunItem, index: number): readonly ChatMessage[] {
  const fault = itemFault(item)
  if (fault !== undefined) throw new ChatMessageError(index, fault)
  if (item.kind === 'handoff') return []
  const { kind, ...message } = item
  const kept = renamed(message, escaped, (name) => name.slice(0, -1))
  const [shapeFault] = shapeIssues(kept)
  if (shapeFault !== undefined) throw new ChatMessageError(index, shapeFault)
  if ((kind === 'tool_output') !== (kept.role === 'tool')) {
    const message = `An item of kind "${kind}" cannot have the role "${kept.role}".`
    throw new ChatMessageError(index, { code: 'unknown_item', path: '/kind', message })
  }
  return [kept]
}

/** Items may come from a store: their kind is not taken on trust. */
function itemFault(item: unknown): { code: 'unknown_item'; path: string; message: string } | undefined {
  const kind = isFields(item) ? ownField(item, 'kind') : undefined
  if (kind === 'message' || kind === 'tool_output' || kind === 'handoff') return undefined
  const message = 'An item must be of kind "message", "tool_output" or "handoff".'
  return { code: 'unknown_item', path: '/kind', message }
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
