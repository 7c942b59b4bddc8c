import type { ToolCall } from '../contract/call.js'
import type { ChatMessage, ChatToolCall } from '../contract/chat-message.js'
import type { MetaField } from '../contract/meta.js'
import type { ToolOutcome } from '../contract/outcome.js'
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

/**
 * The answers to calls, in call order; a call that waits for somebody has none yet.
 *
 * @param isOver whether nobody will come back to the run: such a call is answered then too
 */
export function answerMessages(
  calls: readonly NamedCall[],
  outcomes: readonly ToolOutcome[],
  isOver: boolean,
): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  calls.forEach(({ chatId }, index) => {
    const outcome = outcomes[index]
    if (outcome === undefined || (outcome.status === 'suspended' && !isOver)) return
    const content = outcome.status === 'suspended' ? UNANSWERED : renderForModel(outcome)
    messages.push({ role: 'tool', tool_call_id: chatId, content })
  })
  return messages
}
