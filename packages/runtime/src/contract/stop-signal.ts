import type { JsonValue } from './json.js'

/** What a layer says to end the run: its result is `value`. */
export interface FinalSignal {
  readonly reason: 'final'
  readonly value: JsonValue
}

/** The limits of a policy that can end a run. */
export type LimitReason = 'max_tool_calls' | 'max_turns' | 'max_consecutive_failures' | 'max_tokens' | 'time_budget'

/** Why a run ended. */
export type StopSignal =
  | FinalSignal
  /** The planner gave its answer. */
  | { readonly reason: 'answered' }
  /** A limit of the policy was reached: turns, calls, tokens, or milliseconds. */
  | { readonly reason: LimitReason; readonly limit: number }
  /** The model stopped for a reason that a guard does not take, e.g. `length`. */
  | { readonly reason: 'finish_reason'; readonly finishReason: string }
  /** The same calls were asked for so many times in a row. */
  | { readonly reason: 'repetition'; readonly times: number }
  /** A hook or a layer ended the run. */
  | { readonly reason: 'stopped'; readonly by: string; readonly message: string }
  /** Required fields were missing, and the policy finalizes then. */
  | { readonly reason: 'missing_fields' }
  /** Somebody has to answer before the run can go on. */
  | { readonly reason: 'suspended' }
  | { readonly reason: 'cancelled' }
  /** The planner, a layer around steps or runs, or the caller's own options failed. */
  | { readonly reason: 'failed'; readonly message: string }

/** Why a run stopped, in a word. */
export type StopReason = StopSignal['reason']
