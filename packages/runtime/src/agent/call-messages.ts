import { messageCalls } from '../chat/message-calls.js'
import type { ToolCall } from '../contract/call.js'
import type { ChatMessage, ChatToolCall } from '../contract/chat-message.js'
import type { MetaField } from '../contract/meta.js'
import type { ToolOutcome } from '../contract/outcome.js'
import { failedOutcome } from '../execute/hint/failed-outcome.js'
import { renderForModel } from '../execute/render/render-for-model.js'

const UNANSWERED = 'The run ended before this call was answered.'

/** A call of a step with the id that it has in the conversation and the name that models know. */
export interface NamedCall {
  readonly call: ToolCall<unknown, MetaField>
  readonly chatId: string
  readonly wireName: string
}

/** The assistant's message that asks for calls. */
export function callsMessage(calls: readonly NamedCall[], text: string | undefined): ChatMessage {
  const toolCalls = calls.map(
    ({ call, chatId, wireName }): ChatToolCall => ({
      id: chatId,
      type: 'function',
      function: { name: wireName, arguments: call.arguments },
    }),
  )
  return { role: 'assistant', content: text ?? null, tool_calls: toolCalls }
}

/** The answers to calls, in call order; a call that waits has none yet. */
export function answerMessages(calls: readonly NamedCall[], outcomes: readonly ToolOutcome[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  calls.forEach(({ chatId }, index) => {
    const outcome = outcomes[index]
    if (outcome === undefined || outcome.status === 'suspended') return
    messages.push({ role: 'tool', tool_call_id: chatId, content: renderForModel(outcome) })
  })
  return messages
}

/** Outcomes of a run that nobody will resume: calls that still wait end as cancelled. */
export function withoutWaiting(outcomes: readonly ToolOutcome[]): readonly ToolOutcome[] {
  if (outcomes.every(({ status }) => status !== 'suspended')) return outcomes
  return Object.freeze(outcomes.map((outcome) => (outcome.status === 'suspended' ? cancelled(outcome) : outcome)))
}

function cancelled({
  call,
  provenance,
  suspension,
  stop,
}: Extract<ToolOutcome, { readonly status: 'suspended' }>): ToolOutcome {
  const { durationMs, attempts, children } = provenance
  const failed = {
    call,
    rejected: suspension.arguments,
    durationMs,
    attempts,
    ...(children !== undefined && { children }),
  }
  const outcome = failedOutcome({ reason: 'cancelled', message: UNANSWERED }, failed)
  return stop === undefined ? outcome : Object.freeze({ ...outcome, stop })
}

/**
 * A conversation in which the last calls of a run have one answer each: those without one end with the run.
 *
 * @param runStart number of messages that the run started with; calls in these stay as they are
 */
export function withAllAnswers(messages: readonly ChatMessage[], runStart: number): readonly ChatMessage[] {
  const index = messages.findLastIndex((message) => callIds(message).length > 0)
  const asking = messages[index]
  if (asking === undefined || index < runStart) return messages
  const ids = callIds(asking)
  let end = index + 1
  while (messages[end]?.role === 'tool') end += 1
  const answers = new Map(
    messages
      .slice(index + 1, end)
      .flatMap((message) => (message.role === 'tool' ? [[message.tool_call_id, message] as const] : [])),
  )
  if (ids.every((id) => answers.has(id))) return messages
  const all = ids.map((id): ChatMessage => answers.get(id) ?? { role: 'tool', tool_call_id: id, content: UNANSWERED })
  const others = [...answers].flatMap(([id, message]) => (ids.includes(id) ? [] : [message]))
  return Object.freeze([...messages.slice(0, index + 1), ...all, ...others, ...messages.slice(end)])
}

function callIds(message: ChatMessage): readonly string[] {
  return messageCalls(message).makes.flatMap(({ callId, isLegacy }) => (isLegacy ? [] : [callId]))
}
