import type { ChatAssistantMessage, ChatFields, ChatMessage } from './chat.js'
import type { JsonSchema, JsonText, JsonValue } from './json.js'
import type { BudgetSignal, GuardrailReport, GuardrailSignal, ToolOutcome } from './outcome.js'
import type { ModelUsage } from './token-usage.js'
import type { AgentToolSpec, MetaField, ToolCall } from './tool.js'

/** Metadata of a run: its ids, labels and abort signal. The application and the runtime set this metadata. Models cannot change this metadata. */
export interface RunMeta {
  /** Id of the run: the option `runId` of the run, or an id that the runtime created. */
  readonly runId: string
  /** Name of the agent that runs. */
  readonly agent: string
  /** Id of the user's session. Absent if the option `sessionId` was not set. */
  readonly sessionId?: string
  /** Id of the conversation turn. Absent if the option `turnId` was not set. */
  readonly turnId?: string
  /** Id of the tool call whose result this run produces. Absent if no tool call started this run. */
  readonly parentToolCallId?: string
  /** Id of the run that started this run with a tool call. Absent if no other run started this run. */
  readonly parentRunId?: string
  /** Labels of the run (option `labels`), e.g. `{ tenant: 'acme' }`. Empty by default. */
  readonly labels: Readonly<Record<string, string>>
  /** Signal that is aborted when the run is cancelled or exceeds its time limit. Pass this signal to your requests. */
  readonly signal: AbortSignal
}

/** Request to a planner for one decision. */
export interface PlanRequest {
  /** Conversation so far, beginning with the instructions of the agent. */
  readonly messages: readonly ChatMessage[]
  /** Tools that the planner can call. Empty if the planner must return its final answer. */
  readonly tools: readonly AgentToolSpec[]
  /** Outcomes of all calls of the run so far, in the order of the calls. */
  readonly outcomes: readonly ToolOutcome[]
  /** Ids, labels and abort signal of the run. */
  readonly meta: RunMeta
  /** Number of the decision in the run, from 1. */
  readonly turn: number
  /** Fields of the chat request that started the run, except `messages`, e.g. `temperature`. Absent if the request contained only `messages`. */
  readonly fields?: ChatFields
  /** Number of messages with which the run started. The run added all later messages in `messages`. */
  readonly runStart?: number
  /**
   * Format of a structured answer. A planner receives a format only if an agent that is used as a tool must repeat its
   * answer as JSON. If the repeated answer does not match the format, the tool call fails.
   */
  readonly responseFormat?: ResponseFormat
  /**
   * True if the planner must correct its previous answer: the last message describes the error, and `tools` is empty.
   * Absent for all other requests.
   */
  readonly isCorrection?: boolean
  /**
   * Function that receives each part of the model's response while the model generates the response. Present if the application streams the run. In
   * this case, the driver requests a streamed response.
   */
  readonly onDelta?: (delta: ModelDelta) => void
  /**
   * Function that records a request to a model with the tracer of the runtime. `modelPlanner` calls this function.
   * Absent if the runtime has no tracer.
   */
  readonly traceModel?: ModelTrace
  /** Layers that `modelLayer(...)` added, combined into one layer around each request of `modelPlanner`. Absent if no layers were added. */
  readonly modelLayer?: ModelLayer
}

/** Part of a streamed response of a model. */
export type ModelDelta =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  /** Part of the arguments of a call. `text` is a fragment of a JSON text. */
  | { readonly type: 'arguments'; readonly tool: string; readonly toolCallId: string; readonly text: string }

export interface TracedModelCall {
  readonly provider: string
  readonly model?: string
  readonly request: ModelRequest
}

/**
 * Function that records one request to a model. Calls `work`, which sends the request, and returns the result of
 * `work`. Ignores errors of the tracer.
 *
 * @example
 * const planner: Planner = async (request) => {
 *   const sent = { messages: request.messages, tools: request.tools, meta: request.meta }
 *   const ask = () => driver.ask(sent)
 *   const response = await (request.traceModel?.({ provider: 'acme', model: 'acme-1', request: sent }, ask) ?? ask())
 *   return answer(String(response.message.content))
 * }
 */
export type ModelTrace = (call: TracedModelCall, work: () => Promise<ModelResponse>) => Promise<ModelResponse>

/**
 * Decision of a planner, for example to call tools, to answer or to ask a question. {@link callTools}, {@link answer}
 * and {@link ask} create decisions.
 */
export type Decision = {
  readonly usage?: ModelUsage
  /** Message of the model. The run adds this message to the conversation. Default: a message that the run creates from the decision. */
  readonly message?: Extract<ChatMessage, { readonly role: 'assistant' }>
  /** Reason why the model stopped, e.g. `stop` or `length`. Absent if unknown. */
  readonly finishReason?: string
  /** Name of the model, as the response reports it. Absent if unknown. */
  readonly model?: string
  /**
   * Conversation before the decision. Guardrails set this property if they changed the input. Default: the messages of
   * the request.
   */
  readonly messages?: readonly ChatMessage[]
  /** Results of guardrails, which the run publishes as events. Absent if all guardrails passed. */
  readonly guardrails?: readonly GuardrailReport[]
} & (
  | {
      readonly kind: 'calls'
      readonly calls: readonly ToolCall<unknown, MetaField>[]
      /** Text of the model in addition to the calls. Absent if the model returned only calls. */
      readonly text?: string
    }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'answer'; readonly value: JsonValue; readonly text?: string }
  | { readonly kind: 'question'; readonly question: string }
  /**
   * Rejects the answer `text` of the planner. The run adds the answer to the conversation, followed by a user message with the text `correction`. The
   * planner then decides again, without tools. Each of the two decisions is a turn of the run.
   */
  | { readonly kind: 'correction'; readonly correction: string; readonly text?: string }
  /** Ends the run without an answer. Budgets and guardrails return this decision. */
  | { readonly kind: 'stop'; readonly stop: BudgetSignal | GuardrailSignal }
)

/**
 * Function that decides the next step of a run. A planner can use a model, or decide by rules without a model.
 *
 * @example
 * const planner: Planner = ({ outcomes }) =>
 *   outcomes.length === 0 ? callTools(newGetOrderCall({ orderId: 'A-1001' })) : answer('It has shipped.')
 */
export type Planner = (request: PlanRequest) => Decision | Promise<Decision>

/** Format of a structured final answer. */
export interface ResponseFormat {
  /** Name of the schema for the model: at most 64 letters, digits, `_` and `-`. */
  readonly name: string
  /**
   * JSON Schema that the answer must match. The runtime does not add defaults of the schema. If the schema does not
   * describe an object, the drivers ask the model for an object such as `{"answer": 7}`. `result.value` of the run is
   * then 7.
   */
  readonly schema: JsonSchema
}

/** Request to a model. If `fields` and the options of the driver contain the same field, the value in `fields` applies. */
export type ModelRequest = Pick<
  PlanRequest,
  'messages' | 'tools' | 'meta' | 'responseFormat' | 'fields' | 'runStart' | 'onDelta'
>

/** Tool call that a model requests. */
export interface ModelCall {
  /** Name of the tool, as the model sent it. */
  readonly tool: string
  /**
   * Arguments for the tool. In strict mode, models send `null` for absent properties. The driver removes these nulls
   * from `arguments`, but not from `message` of the response.
   */
  readonly arguments: JsonText
  /** Id of the call, as the model sent it. */
  readonly toolCallId: string
}

/** Response of a model to one request. */
export interface ModelResponse {
  /**
   * Message as the model sent it, including unknown fields. The run adds this message to the conversation.
   * `provider_data` of the message contains content that other fields cannot represent, such as reasoning.
   */
  readonly message: ChatAssistantMessage
  /** Tool calls that the model requests, in order. */
  readonly calls: readonly ModelCall[]
  /**
   * JSON text of a structured answer, without the nulls that models send for absent properties in strict mode. Absent
   * if the text of `message` contains no such nulls.
   */
  readonly output?: JsonText
  /** Reason why the model stopped, e.g. `stop`, `tool_calls`, `length` or `content_filter`. Absent if the server sent no reason. */
  readonly finishReason?: string
  /** Token usage of the request and the response. Absent if the server sent no token usage. */
  readonly usage?: ModelUsage
  /** Name of the model, as the response reports it. Absent if the server sent no name. */
  readonly model?: string
  /** Id of the response, as the server sent it. Absent if the server sent no id. */
  readonly id?: string
  /**
   * Time from the request to the first part of a streamed response, in milliseconds. If the driver retried the request,
   * the time starts with the last attempt. Absent for a response that was not streamed.
   */
  readonly timeToFirstChunkMs?: number
  /** Parts of the request that the model or the driver ignored, one sentence for each part. Absent if no part was ignored. */
  readonly warnings?: readonly string[]
}

/**
 * Connection to the API of a model. The driver itself retries failed requests. `ask` rejects with the abort reason of
 * the signal, or with the error of the API. The runtime reads the HTTP status or code of this error.
 *
 * @example
 * const counted: ModelDriver = {
 *   name: driver.name,
 *   ask: async (request) => {
 *     const answer = await driver.ask(request)
 *     console.log(answer.finishReason, answer.usage)
 *     return answer
 *   },
 * }
 */
export interface ModelDriver {
  /** Name of the driver, for error messages. */
  readonly name: string
  /** Name of the provider for telemetry, for example `openai`, as OpenTelemetry defines it. Default: `name`. */
  readonly provider?: string
  /** Name of the model to which the driver sends requests. Absent if unknown. */
  readonly model?: string
  /** Sends one request and returns the response of the model. Rejects if the model sends no response. */
  ask(request: ModelRequest): Promise<ModelResponse>
  /** Returns a copy of the driver with another message compiler. Absent if the driver always sends the messages unchanged. */
  withMessageCompiler?(compiler: MessageCompiler): ModelDriver
}

/**
 * A layer around the requests that `modelPlanner` sends to models, that is, around all requests of agents with a model
 * driver. The layer wraps the whole driver, including retries and the message compiler. The layer returns the response
 * of `next`, or another response.
 *
 * @example
 * const counted: ModelLayer = (next) => async (request) => {
 *   const response = await next(request)
 *   console.log(request.meta.agent, response.usage)
 *   return response
 * }
 */
export type ModelLayer = (next: ModelDriver['ask']) => ModelDriver['ask']

interface MessageCompilerInput extends Pick<PlanRequest, 'meta' | 'tools'> {
  /** Messages with which the run started, beginning with the instructions. */
  readonly conversation: readonly ChatMessage[]
  /** Messages that the run has added, for example its calls and their results. */
  readonly trace: readonly ChatMessage[]
}

/**
 * Function that returns the messages for a request to a model. Default: the messages of `conversation`, followed by the
 * messages of `trace`. The conversation of the run stays unchanged. Return each tool call together with its tool
 * message: model servers reject a call without its tool message, and a tool message without its call.
 *
 * @example
 * const lastTen: MessageCompiler = ({ conversation, trace }) => [...conversation.slice(-10), ...trace]
 */
export type MessageCompiler = (parts: MessageCompilerInput) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>

/**
 * Function that wraps a message compiler, for example to add a message.
 *
 * @example
 * const dated: CompilerWrap = (next) => async (parts) => [...(await next(parts)), { role: 'system', content: today() }]
 */
export type CompilerWrap = (next: MessageCompiler) => MessageCompiler
