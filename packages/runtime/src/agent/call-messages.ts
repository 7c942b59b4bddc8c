import type { ToolCall } from '../contract/call.js'
import type { ChatMessage, ChatToolCall } from '../contract/chat-message.js'
import type { MetaField } from '../contract/meta.js'
import type { ToolOutcome } from '../contract/outcome.js'
import { renderForModel } from '../execute/render/render-for-model.js'

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

/** The answers to calls, in call order; a suspended call has none yet. */
export function answerMessages(calls: readonly NamedCall[], outcomes: readonly ToolOutcome[]): readonly ChatMessage[] {
  return calls.flatMap(({ chatId }, index): readonly ChatMessage[] => {
    const outcome = outcomes[index]
    if (outcome === undefined || outcome.status === 'suspended') return []
    return [{ role: 'tool', tool_call_id: chatId, content: renderForModel(outcome) }]
  })
}
