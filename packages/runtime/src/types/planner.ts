import type { ChatAssistantMessage, ChatFields, ChatMessage } from './chat.js'
import type { JsonSchema, JsonText, JsonValue } from './json.js'
import type { ToolOutcome } from './outcome.js'
import type { AgentToolSpec, MetaField, ToolCall } from './tool.js'

/** Metadata of a run. No model supplies it. */
export interface RunMeta {
  readonly runId: string
  readonly agent: string
  readonly sessionId?: string
  readonly turnId?: string
  /** The call that this run serves, where an agent is another one's tool. */
  readonly parentToolCallId?: string
  readonly labels: Readonly<Record<string, string>>
  /** Aborted when the run is cancelled or its time is over; pass it on. */
  readonly signal: AbortSignal
}

/** Request to a planner for one decision. */
export interface PlanRequest {
  /** The conversation so far, the instructions of the agent first. */
  readonly messages: readonly ChatMessage[]
  /** Tools that can be called; empty when the planner must give its final answer. */
  readonly tools: readonly AgentToolSpec[]
  /** The outcomes of this run's calls so far, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  readonly meta: RunMeta
  /** 1 for the first decision of the run. */
  readonly turn: number
  /** The other fields of the chat request that the run began with, e.g. `temperature`: as the caller set them. */
  readonly fields?: ChatFields
  /** Number of messages that the run started with; the run added the others. */
  readonly runStart?: number
  /** Present when the final answer must have this form; another answer fails. */
  readonly responseFormat?: ResponseFormat
  /**
   * `true` when the planner has asked for a correction of its last answer: the last message says what is wrong, and `tools` is
   * empty. Else absent.
   */
  readonly isCorrection?: boolean
}

/** Tokens that a decision has cost. */
export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** Decision of a planner: calls, an answer, a question, or a correction of its answer. Created by {@link callTools}, {@link answer} and {@link ask}. */
export type Decision = {
  readonly usage?: TokenUsage
  /** Message of the model, as it goes into the conversation. Default: a message is created from the decision. */
  readonly message?: Extract<ChatMessage, { readonly role: 'assistant' }>
  /** Reason why the model stopped, e.g. `stop` or `length`. */
  readonly finishReason?: string
  /** The model that decided, as it calls itself. */
  readonly model?: string
} & (
  | {
      readonly kind: 'calls'
      readonly calls: readonly ToolCall<unknown, MetaField>[]
      /** Text in addition to the calls. */
      readonly text?: string
    }
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'answer'; readonly value: JsonValue; readonly text?: string }
  | { readonly kind: 'question'; readonly question: string }
  /**
   * The answer is not accepted. It goes into the conversation, followed by `correction` as a message of the user, and the
   * planner decides again without tools. Both decisions are turns of the run.
   */
  | { readonly kind: 'correction'; readonly correction: string; readonly text?: string }
)

/**
 * Decides the next step of a run. A deterministic planner needs no model.
 *
 * @example
 * const planner: Planner = ({ outcomes }) =>
 *   outcomes.length === 0 ? callTools(newGetOrderCall({ orderId: 'A-1001' })) : answer('It has shipped.')
 */
export type Planner = (request: PlanRequest) => Decision | Promise<Decision>

/** The form of a structured final answer. */
export interface ResponseFormat {
  /** Names it for the model: letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  readonly schema: JsonSchema
}

/** Request to a model. The `fields` go before the driver's own. */
export type ModelRequest = Pick<PlanRequest, 'messages' | 'tools' | 'meta' | 'responseFormat' | 'fields' | 'runStart'>

/** A call that a model asks for. */
export interface ModelCall {
  /** The name that the model used. */
  readonly tool: string
  /**
   * The arguments to be executed. In the message they stay as the model sent them; here, what the projection of the schema
   * made the model add is taken back (nulls of absent fields).
   */
  readonly arguments: JsonText
  readonly toolCallId: string
}

/** Response of a model. */
export interface ModelResponse {
  /** The message as the model sent it, unknown fields included: it goes into the conversation. */
  readonly message: ChatAssistantMessage
  readonly calls: readonly ModelCall[]
  /**
   * The text of a structured answer, where it is not that of the message: what the projection of the schema made the model
   * add is taken back.
   */
  readonly output?: JsonText
  /** Reason why the model stopped, e.g. `stop`, `tool_calls`, `length` or `content_filter`. */
  readonly finishReason?: string
  readonly usage?: TokenUsage
  /** The model that answered, as it calls itself. */
  readonly model?: string
}

/**
 * Asks a model. Rejects, after its own retries, with an error that the runtime's classifier knows; where the signal of the
 * run is aborted, with its reason.
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
  readonly name: string
  /** Asks the model once; rejects where it gave no answer. */
  ask(request: ModelRequest): Promise<ModelResponse>
  /**
   * The same driver, which sends what this compiler makes of the messages, in place of any it had. Absent for a driver that
   * takes none: it sends the messages as they are.
   */
  withMessageCompiler?(compiler: MessageCompiler): ModelDriver
}

/** Input of a message compiler. */
interface MessageCompilerInput extends Pick<PlanRequest, 'meta' | 'tools'> {
  /** Messages that the run started with, the instructions first. */
  readonly conversation: readonly ChatMessage[]
  /** Messages that the run has added: its calls with their results. */
  readonly trace: readonly ChatMessage[]
}

/**
 * Makes the messages that a model is sent. The conversation of the run stays as it is. Keep each call together with its
 * answer: servers refuse one without the other.
 *
 * @example
 * const lastTen: MessageCompiler = ({ conversation, trace }) => [...conversation.slice(-10), ...trace]
 */
export type MessageCompiler = (parts: MessageCompilerInput) => readonly ChatMessage[] | Promise<readonly ChatMessage[]>

/**
 * A message compiler around another one.
 *
 * @example
 * const dated: CompilerWrap = (next) => async (parts) => [...(await next(parts)), { role: 'system', content: today() }]
 */
export type CompilerWrap = (next: MessageCompiler) => MessageCompiler
