import type { ChatMessage } from './chat-message.js'
import type { ToolOutcome } from './outcome.js'
import type { StopSignal } from './stop-signal.js'

/** State of a run after a step. It covers all passes: a layer around the run may call `next` several times. */
export interface LoopState {
  readonly turns: number
  readonly toolCalls: number
  /** Calls that the policy did not allow any more. */
  readonly refused: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** In milliseconds. */
  readonly elapsedMs: number
  /** Of the whole run, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** The whole conversation. */
  readonly messages: readonly ChatMessage[]
  /** How many of the messages the run began with. */
  readonly runStart: number
  /**
   * Messages of earlier passes that are not in `messages` any more. Present after a layer around the run has called `next`
   * again with another conversation.
   */
  readonly earlier?: readonly ChatMessage[]
  /** The limit of tokens of a run above this one, where it is used up. */
  readonly spentAbove?: number
  /** Why the model stopped in the last step, where it said so. */
  readonly finishReason?: string
  /** The model that was asked last, as it calls itself. */
  readonly model?: string
}

/**
 * Says whether a run ends after a step: a pure function of where it stands.
 *
 * @example
 * const patience: StopCondition = ({ turns }) =>
 *   turns < 10 ? undefined : { reason: 'stopped', by: 'patience', message: 'This takes too long.' }
 */
export type StopCondition = (state: LoopState) => StopSignal | undefined
