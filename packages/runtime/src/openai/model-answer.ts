import { spokenText } from '../agent/message-text.js'
import { ModelAnswerError } from '../agent/model-answer-error.js'
import { replyMessage } from '../agent/reply-message.js'
import { isFields } from '../codec/json/kind.js'
import type { ChatToolCall } from '../contract/chat-message.js'
import type { ModelAnswer, ModelCall } from '../contract/model-driver.js'
import type { TokenUsage } from '../contract/planner.js'
import type { AnswerFormat } from './answer-format.js'
import { errorAnswer } from './error-answer.js'
import type { SentTools } from './sent-tools.js'

/** What was asked. */
export interface Asked {
  /** How many messages the conversation has. */
  readonly place: number
  readonly sent: SentTools
  readonly format: AnswerFormat | undefined
}

/**
 * Reads what a server answered: its first choice.
 *
 * @throws {ModelAnswerError} for anything but a completion with a message.
 */
export function modelAnswer(completion: unknown, { place, sent, format }: Asked): ModelAnswer {
  if (!isFields(completion)) throw new ModelAnswerError('not_json')
  if (isFields(completion.error)) throw errorAnswer(completion.error)
  const choice: unknown = Array.isArray(completion.choices) ? completion.choices[0] : undefined
  if (!isFields(choice)) throw new ModelAnswerError('no_choices')
  const message = replyMessage(choice.message, place)
  const finishReason = textOf(choice.finish_reason)
  const model = textOf(completion.model)
  const usage = usageOf(completion.usage)
  const calls = (message.tool_calls ?? []).map((call) => modelCall(call, sent, finishReason))
  return {
    message,
    calls,
    ...(format !== undefined && calls.length === 0 && { answer: format.restore(spokenText(message)) }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
  }
}

function modelCall(call: ChatToolCall, sent: SentTools, finishReason: string | undefined): ModelCall {
  if (call.type === 'custom') return { tool: call.custom.name, arguments: call.custom.input, toolCallId: call.id }
  const { name, arguments: json } = call.function
  // Some servers write no arguments as no text; where the tokens ran out it is text that is lacking.
  const given = json === '' && finishReason !== 'length' ? '{}' : json
  return { tool: name, arguments: sent.restore(name, given), toolCallId: call.id }
}

function usageOf(usage: unknown): TokenUsage | undefined {
  if (!isFields(usage)) return undefined
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  return isCount(prompt) && isCount(completion) ? { promptTokens: prompt, completionTokens: completion } : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
