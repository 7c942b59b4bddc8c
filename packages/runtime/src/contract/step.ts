import type { ChatMessage } from './chat-message.js'
import type { ChatFields } from './chat-request.js'
import type { JsonValue } from './json.js'
import type { AnswerForm } from './model-driver.js'
import type { ToolOutcome } from './outcome.js'
import type { RunMeta, TokenUsage } from './planner.js'
import type { AgentToolSpec } from './spec.js'
import type { StopSignal } from './stop-signal.js'
import type { StepSuspension } from './suspension.js'

/** One step of a run: one decision and the calls that it asks for. */
export interface StepRequest<out Env = unknown> {
  readonly env: Env
  readonly meta: RunMeta
  /** 1 for the first step of the run. */
  readonly turn: number
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly AgentToolSpec[]
  /** The outcomes of earlier steps, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** How many calls the policy still allows; absent: any number. */
  readonly callsLeft?: number
  /** The other fields of the chat request that the run began with: as the caller set them. */
  readonly fields?: ChatFields
  /** How many of the messages the run began with; those behind them are its own. */
  readonly runStart?: number
  /** Whether the calls of a step that waited go on; absent: the planner is asked. */
  readonly isResumed?: boolean
  /** Present when the final answer is asked for in this form. */
  readonly answer?: AnswerForm
  /** `true` when the answer of the step before has to be corrected: the last message says what is wrong. Else absent. */
  readonly isCorrection?: boolean
}

/** What a step cost. */
export interface StepAccount extends TokenUsage {
  readonly toolCalls: number
  /** The model that decided, as it calls itself; absent where no model said so. */
  readonly model?: string
}

/** What a run answers in the end: text, a value, or both. */
export interface RunResult {
  readonly text?: string
  readonly value?: JsonValue
}

/** How a step ended. Its messages are the whole conversation, what the step added at the end. */
export type StepResult = {
  readonly messages: readonly ChatMessage[]
  /** The outcomes of this step's calls, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  readonly account: StepAccount
  /** How many calls were refused since the policy allows no more. */
  readonly refused: number
  /** Why the model stopped, where it said so. */
  readonly finishReason?: string
  /** Reasons to end the run that layers around the step recorded, the outermost first. */
  readonly stops?: readonly StopSignal[]
} & (
  | {
      readonly kind: 'next'
      /**
       * Asks for a correction of the answer of this step: the loop adds the message and takes one more step without tools,
       * unless the run has reached a limit.
       */
      readonly correction?: ChatMessage
    }
  | {
      readonly kind: 'done'
      readonly stop: StopSignal
      readonly result?: RunResult
      readonly suspension?: StepSuspension
    }
)
