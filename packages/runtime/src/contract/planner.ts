import type { ToolCall } from './call.js'
import type { ChatMessage } from './chat-message.js'
import type { ChatFields } from './chat-request.js'
import type { JsonValue } from './json.js'
import type { MetaField } from './meta.js'
import type { AnswerForm } from './model-driver.js'
import type { ToolOutcome } from './outcome.js'
import type { AgentToolSpec } from './spec.js'

/** What the runtime knows about a run and no model supplies. */
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

/** What a planner knows when it decides. */
export interface PlanRequest {
  /** The conversation so far, the instructions of the agent first. */
  readonly messages: readonly ChatMessage[]
  /** What may be called; empty when the planner is asked for its last words. */
  readonly tools: readonly AgentToolSpec[]
  /** The outcomes of this run's calls so far, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  readonly meta: RunMeta
  /** 1 for the first decision of the run. */
  readonly turn: number
  /** The other fields of the chat request that the run began with, e.g. `temperature`: as the caller set them. */
  readonly fields?: ChatFields
  /** How many of the messages the run began with; those behind them are its own. */
  readonly runStart?: number
  /** Present when the final answer is asked for in this form, once: what does not fit it fails. */
  readonly answer?: AnswerForm
  /**
   * `true` when the planner has asked for a correction of its last answer: the last message says what is wrong, and `tools` is
   * empty. Else absent.
   */
  readonly isCorrection?: boolean
}

/** What a decision cost, where that is known. */
export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** What a planner decides: calls, an answer, a question, or a correction of its answer. Made by {@link callTools}, {@link answer} and {@link ask}. */
export type Decision = {
  readonly usage?: TokenUsage
  /** What a model sent, as it goes into the conversation; absent: a message is made of the decision. */
  readonly message?: Extract<ChatMessage, { readonly role: 'assistant' }>
  /** Why the model stopped, e.g. `stop`, `length`, where it said so. */
  readonly finishReason?: string
  /** The model that decided, as it calls itself. */
  readonly model?: string
} & (
  | {
      readonly kind: 'calls'
      readonly calls: readonly ToolCall<unknown, MetaField>[]
      /** What is said beside the calls. */
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
