import { ToolFailure } from '../call/tool-failure.js'
import type { ChatAssistantMessage, ChatToolCall } from '../types/chat.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { ModelCall, ModelDriver, ModelRequest, ModelResponse, TokenUsage } from '../types/planner.js'
import { takingCompiler } from './cassette.js'

/** One answer of a script: given, thrown, or made of what the model is asked. */
export type ScriptStep =
  | ScriptedResponse
  | Error
  | ((request: ModelRequest) => ScriptedResponse | Promise<ScriptedResponse>)

/** A model that answers from a script. */
export interface ScriptedModel extends ModelDriver {
  /** What it was asked, in the order in which it was asked; the messages as a message compiler made them. */
  readonly requests: readonly ModelRequest[]
  /** How many steps of the script are left. */
  readonly stepsLeft: number
}

/**
 * A model for tests: answers with one step of its script after the other, whoever asks. An `Error` is thrown, as a driver
 * throws one; a function is called with the request. A model that is asked once more than its script is long throws a
 * `ToolFailure` that says so, which ends the run as `failed`.
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
  const driver = takingCompiler({
    name,
    ask: async (request) => {
      requests.push(request)
      const step = script[requests.length - 1]
      if (step === undefined) throw outOfScript(name, script.length, request)
      if (step instanceof Error) throw step
      return modelAnswer(typeof step === 'function' ? await step(request) : step, request)
    },
  })
  return {
    ...driver,
    requests,
    get stepsLeft(): number {
      return Math.max(0, script.length - requests.length)
    },
  }
}

function outOfScript(name: string, steps: number, { messages, meta }: ModelRequest): ToolFailure {
  const length = steps === 1 ? '1 step' : `${steps} steps`
  const message = `The script of the model '${name}' has ${length}, and agent '${meta.agent}' asked for one more`
  const last = messages.at(-1)
  return new ToolFailure(
    `${message}${last === undefined ? '' : `, after a message of role '${last.role}'`}: add a step.`,
    {
      reason: 'internal',
      action: 'finish',
    },
  )
}

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
export interface ScriptedResponse {
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
export function says(text: string): ScriptedResponse {
  return { text }
}

/**
 * The model asks for calls, which run side by side. For words beside them add `text`.
 *
 * @example
 * scriptedModel([calls({ tool: 'orders_getOrder', arguments: { orderId: 'A-1001' } }), says('It has shipped.')])
 */
export function calls(...asked: readonly ScriptedCall[]): ScriptedResponse {
  return { calls: asked }
}

/**
 * The model gives a structured answer. For one that is no JSON use {@link says}.
 *
 * @example
 * scriptedModel([answers({ orderId: 'A-1001', late: false })])
 */
export function answers(value: JsonValue): ScriptedResponse {
  return { text: JSON.stringify(value) }
}

/** The model refuses. */
export function refuses(refusal: string): ScriptedResponse {
  return { refusal }
}

/** A scripted answer as a driver gives it. */
function modelAnswer(scripted: ScriptedResponse, request: ModelRequest): ModelResponse {
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
    tool: tools.find(({ id }) => id === tool)?.toolName ?? tool,
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
