import type { ChatAssistantMessage, ChatMessage } from './chat-message.js'
import type { ChatFields } from './chat-request.js'
import type { JsonSchema, JsonText } from './json.js'
import type { MessageCompiler } from './message-compiler.js'
import type { RunMeta, TokenUsage } from './planner.js'
import type { AgentToolSpec } from './spec.js'

/** The form of a structured final answer. */
export interface AnswerForm {
  /** Names it for the model: letters, digits, `_` and `-`, at most 64. */
  readonly name: string
  readonly schema: JsonSchema
}

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: readonly ChatMessage[]
  /** What it may call; empty: nothing. */
  readonly tools: readonly AgentToolSpec[]
  readonly meta: RunMeta
  /** Absent: the final answer is text. */
  readonly answer?: AnswerForm
  /** Other fields of a chat request, as the agent or the caller of the run set them; they go before the driver's own. */
  readonly fields?: ChatFields
  /** How many of the messages the run began with; those behind them are its own. */
  readonly runStart?: number
}

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

/** What a model answers. */
export interface ModelAnswer {
  /** The message as the model sent it, unknown fields included: it goes into the conversation. */
  readonly message: ChatAssistantMessage
  readonly calls: readonly ModelCall[]
  /**
   * The text of a structured answer, where it is not that of the message: what the projection of the schema made the model
   * add is taken back.
   */
  readonly answer?: JsonText
  /** Why the model stopped, e.g. `stop`, `tool_calls`, `length`, `content_filter`; absent where it did not say. */
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
  ask(request: ModelRequest): Promise<ModelAnswer>
  /**
   * The same driver, which sends what this compiler makes of the messages, in place of any it had. Absent for a driver that
   * takes none: it sends the messages as they are.
   */
  withMessageCompiler?(compiler: MessageCompiler): ModelDriver
}
