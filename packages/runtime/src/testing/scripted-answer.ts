import type { ChatAssistantMessage, ChatToolCall } from '../contract/chat-message.js'
import type { JsonText, JsonValue } from '../contract/json.js'
import type { ModelAnswer, ModelCall, ModelRequest } from '../contract/model-driver.js'
import type { TokenUsage } from '../contract/planner.js'

/** A call that a scripted model asks for. A call of a generated builder (`newGetOrderCall({ ... })`) is one too. */
export interface ScriptedCall {
  /** The name that models use, or the tool's id. */
  readonly tool: string
  /** A value, written as JSON; or the text itself, which may be malformed. Absent: `{}`. */
  readonly arguments?: JsonValue
  /** Default: `call_<messages before>_<place>`, so that equal conversations have equal ids. */
  readonly toolCallId?: string
}

/** What a scripted model answers. */
export interface ScriptedAnswer {
  /** What is said, beside calls too. */
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Why the model refuses. */
  readonly refusal?: string
  /** Default: `tool_calls` with calls, else `stop`. */
  readonly finishReason?: string
  /** Default: nothing is known. */
  readonly usage?: TokenUsage
  /** The model that answers, as it calls itself. */
  readonly model?: string
}

/**
 * The model says something.
 *
 * @example
 * scriptedModel([{ ...says('It has'), finishReason: 'length', usage: { promptTokens: 90, completionTokens: 2 } }])
 */
export function says(text: string): ScriptedAnswer {
  return { text }
}

/**
 * The model asks for calls, which run side by side. For words beside them add `text`.
 *
 * @example
 * scriptedModel([calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-1001' } }), says('It has shipped.')])
 */
export function calls(...asked: readonly ScriptedCall[]): ScriptedAnswer {
  return { calls: asked }
}

/**
 * The model gives a structured answer. For one that is no JSON use {@link says}.
 *
 * @example
 * scriptedModel([answers({ orderId: 'A-1001', late: false })])
 */
export function answers(value: JsonValue): ScriptedAnswer {
  return { text: JSON.stringify(value) }
}

/** The model refuses. */
export function refuses(refusal: string): ScriptedAnswer {
  return { refusal }
}

/** A scripted answer as a driver gives it. */
export function modelAnswer(scripted: ScriptedAnswer, request: ModelRequest): ModelAnswer {
  const { text, refusal, usage, model } = scripted
  const calls = (scripted.calls ?? []).map((call, place) => modelCall(call, place, request))
  const message: ChatAssistantMessage = {
    role: 'assistant',
    content: text ?? null,
    ...(refusal !== undefined && { refusal }),
    ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
  }
  return {
    message,
    calls,
    finishReason: scripted.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
  }
}

function modelCall(
  { tool, arguments: given = {}, toolCallId }: ScriptedCall,
  place: number,
  { messages, tools }: ModelRequest,
): ModelCall {
  return {
    tool: tools.find(({ id }) => id === tool)?.wireName ?? tool,
    arguments: argumentsText(given),
    toolCallId: toolCallId ?? `call_${messages.length}_${place}`,
  }
}

function argumentsText(given: JsonValue): JsonText {
  return typeof given === 'string' ? given : JSON.stringify(given)
}

function chatCall({ tool, arguments: json, toolCallId }: ModelCall): ChatToolCall {
  return { id: toolCallId, type: 'function', function: { name: tool, arguments: json } }
}
