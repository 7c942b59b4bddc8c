import { compilingDriver } from '../agents/message-compiler.js'
import { messageText } from '../agents/model-response.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { ChatAssistantMessage } from '../types/chat.js'
import type { JsonValue } from '../types/json.js'
import type { ModelDelta, ModelDriver, ModelRequest, ModelResponse } from '../types/planner.js'
import type { TokenUsage } from '../types/token-usage.js'

/** One step of a script: a response, an error to throw, or a function that returns the response to a request. */
export type ScriptStep =
  | ScriptedResponse
  | Error
  | ((request: ModelRequest) => ScriptedResponse | Promise<ScriptedResponse>)

/** Model driver that returns the responses of a script. Created by {@link scriptedModel}. */
export interface ScriptedModel extends ModelDriver {
  /** All requests to this model, oldest first. Each request contains the messages exactly as the model received them. */
  readonly requests: readonly ModelRequest[]
  /** Number of unused steps of the script. */
  readonly stepsLeft: number
}

/**
 * Creates a model for tests. The model uses one step of the script for each request: the model returns a response, throws an `Error`, or calls a
 * function with the request. If the application streams the run, each word of a text is a separate delta (part of the response). A request after the
 * last step throws a `ToolFailure`, and the run ends with the status `failed`.
 *
 * @example
 * const model = scriptedModel([calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-1001' } }), says('It has shipped.')])
 * const support = registerSupport(new Runtime(), { planner: modelPlanner(model), toolsets: { orders: { client } } })
 */
export function scriptedModel(
  steps: readonly ScriptStep[],
  { name = 'scripted' }: { name?: string } = {},
): ScriptedModel {
  const script = [...steps]
  const requests: ModelRequest[] = []
  const driver = compilingDriver({ name }, async (request) => {
    requests.push(request)
    const step = script[requests.length - 1]
    if (step === undefined) throw outOfScript(name, script.length, request)
    if (step instanceof Error) throw step
    const response = modelResponse(typeof step === 'function' ? await step(request) : step, request)
    sendDeltas(response, request)
    return response
  })
  return {
    ...driver,
    requests,
    get stepsLeft(): number {
      return Math.max(0, script.length - requests.length)
    },
  }
}

export function sendDeltas(response: ModelResponse, { onDelta }: ModelRequest): void {
  if (onDelta !== undefined) for (const delta of deltasOf(response)) onDelta(delta)
}

function deltasOf({ message, calls }: ModelResponse): readonly ModelDelta[] {
  const words = messageText(message).match(/\S*\s*/g) ?? []
  return [
    ...words.filter((text) => text !== '').map((text) => ({ type: 'text' as const, text })),
    ...calls.map(({ tool, toolCallId, arguments: text }) => ({ type: 'arguments' as const, tool, toolCallId, text })),
  ]
}

function outOfScript(name: string, steps: number, { messages, meta }: ModelRequest): ToolFailure {
  const length = steps === 1 ? '1 step' : `${steps} steps`
  const last = messages.at(-1)
  const after = last === undefined ? '' : `, after a message with the role '${last.role}'`
  const message = `The script of the model '${name}' has ${length}, but agent '${meta.agent}' made another request${after}. Add a step.`
  return new ToolFailure(message, { reason: 'internal', action: 'finish' })
}

/** Tool call that a scripted model requests. A call that a generated builder creates, such as `newGetOrderCall({})`, also has this type. */
export interface ScriptedCall {
  /** Name of the tool for models (`orders_getOrder`), or id of the tool (`orders.getOrder`). */
  readonly tool: string
  /**
   * Arguments of the call. The scripted model sends a string unchanged, even malformed JSON, and serializes any other value as JSON. Default: `{}`.
   */
  readonly arguments?: JsonValue
  /** Id of the call. Default: `call_<number of earlier messages>_<index of the call>`, so that equal conversations have equal ids. */
  readonly toolCallId?: string
}

/** Response of a scripted model: text, calls or a refusal, with metadata such as the token usage. */
export interface ScriptedResponse {
  /** Text of the response. A response can contain text and calls. Default: no text. */
  readonly text?: string
  readonly calls?: readonly ScriptedCall[]
  /** Text with which the model refuses to answer. Default: no refusal. */
  readonly refusal?: string
  /** Finish reason of the response. Default: `tool_calls` for a response with calls, `stop` for other responses. */
  readonly finishReason?: string
  /** Token usage of the response. Omitted by default. */
  readonly usage?: TokenUsage
  /** Name of the model in the response. Omitted by default. */
  readonly model?: string
}

/**
 * Returns a response with text.
 *
 * @example
 * scriptedModel([{ ...says('It has'), finishReason: 'length', usage: { promptTokens: 90, completionTokens: 2 } }])
 */
export function says(text: string): ScriptedResponse {
  return { text }
}

/**
 * Returns a response that requests parallel calls. To send text in the same message, add `text`.
 *
 * @example
 * scriptedModel([calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-1001' } }), says('It has shipped.')])
 */
export function calls(...requested: readonly ScriptedCall[]): ScriptedResponse {
  return { calls: requested }
}

/**
 * Returns a response that contains `value` as JSON, for runs with a structured result. To test malformed JSON, use {@link says}.
 *
 * @example
 * scriptedModel([answers({ orderId: 'A-1001', late: false })])
 */
export function answers(value: JsonValue): ScriptedResponse {
  return { text: JSON.stringify(value) }
}

/** Returns a response in which the model refuses to answer. @param refusal text of the refusal */
export function refuses(refusal: string): ScriptedResponse {
  return { refusal }
}

function modelResponse(scripted: ScriptedResponse, { messages, tools }: ModelRequest): ModelResponse {
  const { text, refusal, usage, model } = scripted
  const calls = (scripted.calls ?? []).map(({ tool, arguments: input = {}, toolCallId }, index) => ({
    tool: tools.find(({ id }) => id === tool)?.toolName ?? tool,
    arguments: typeof input === 'string' ? input : JSON.stringify(input),
    toolCallId: toolCallId ?? `call_${messages.length}_${index}`,
  }))
  const chatCalls = calls.map(({ tool, arguments: json, toolCallId }) => ({
    id: toolCallId,
    type: 'function' as const,
    function: { name: tool, arguments: json },
  }))
  const message: ChatAssistantMessage = {
    role: 'assistant',
    content: text ?? null,
    ...(refusal !== undefined && { refusal }),
    ...(calls.length > 0 && { tool_calls: chatCalls }),
  }
  return {
    message,
    calls,
    finishReason: scripted.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
  }
}
