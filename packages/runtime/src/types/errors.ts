import type { Issue } from './issue.js'
import type { JsonText, JsonValue } from './json.js'

/** At least one element. */
export type NonEmpty<T> = readonly [T, ...T[]]

/** A field that a call lacks. */
export interface MissingField {
  /** JSON Pointer of the field. */
  readonly path: string
  readonly description?: string
}

interface HintBase {
  /** One sentence that may be shown to a model. */
  readonly message: string
  readonly tool: string
}

/** Issues that a hint has no room for. */
interface Uncarried {
  /** Number of further issues; absent if there are none. */
  readonly moreIssues?: number
}

interface CallHint extends HintBase, Uncarried {
  /** At most 20. */
  readonly issues: NonEmpty<Issue>
  /** Arguments that would have been right. */
  readonly example?: JsonValue
  /** Arguments as sent. More than 10,000 characters are cut and followed by the length; the text is then not JSON. */
  readonly rejected: JsonText
}

/** Problem of a failed call and the next step. Each reason has its own legal actions. */
export type RetryHint =
  | (CallHint & {
      readonly reason: 'missing_fields'
      readonly action: 'correct_call'
      readonly missing: NonEmpty<MissingField>
    })
  | (CallHint & { readonly reason: 'invalid_arguments'; readonly action: 'correct_call' })
  | (HintBase & { readonly reason: 'unknown_tool'; readonly action: 'replan'; readonly near: readonly string[] })
  | (HintBase & { readonly reason: 'denied'; readonly action: 'replan' | 'finish' })
  | (HintBase &
      Uncarried & {
        readonly reason: 'domain_rejection'
        readonly action: 'correct_call' | 'replan' | 'finish'
        readonly issues?: readonly Issue[]
        readonly example?: JsonValue
      })
  | (HintBase & { readonly reason: 'rate_limited'; readonly action: 'wait'; readonly retryAfterMs?: number })
  | (HintBase & {
      readonly reason: 'unavailable' | 'timeout'
      readonly action: 'wait' | 'replan'
      readonly retryAfterMs?: number
    })
  | (HintBase &
      Uncarried & {
        readonly reason: 'malformed_result'
        readonly action: 'replan'
        /** Without the texts that the service answered. */
        readonly issues?: readonly Issue[]
      })
  | (HintBase & { readonly reason: 'interrupted'; readonly action: 'replan' })
  | (HintBase & { readonly reason: 'cancelled'; readonly action: 'finish' })
  | (HintBase & { readonly reason: 'internal'; readonly action: 'replan' | 'finish' })

/** Why a call failed. */
export type FailureReason = RetryHint['reason']

/** The hint of a reason; a hint whose reason is a union of several counts for each of them. */
type HintFor<Hint extends { readonly reason: string }, Reason> = Hint extends unknown
  ? Reason extends Hint['reason']
    ? Hint
    : never
  : never

/** The actions that are legal for a reason. */
export type ActionFor<Reason extends FailureReason> = HintFor<RetryHint, Reason>['action']

/** The reasons whose hint says how long to wait. */
type WaitingReason = 'rate_limited' | 'unavailable' | 'timeout'

/** The reasons whose hint carries issues. */
type IssueReason = 'missing_fields' | 'invalid_arguments' | 'domain_rejection' | 'malformed_result'

/** The reasons whose hint carries an example. */
type ExampleReason = 'missing_fields' | 'invalid_arguments' | 'domain_rejection'

/** The reasons that the arguments are wrong: the hint shows right ones. */
type ArgumentsReason = 'missing_fields' | 'invalid_arguments'

/**
 * Why a call failed, before it becomes a hint: the facts that someone knows about a failure. Each reason takes its
 * own legal actions and facts.
 */
export type FailureFacts<Reason extends FailureReason = FailureReason> = Reason extends FailureReason
  ? { readonly reason: Reason; readonly action?: ActionFor<Reason> | undefined } & (Reason extends WaitingReason
      ? { readonly retryAfterMs?: number | undefined }
      : { readonly retryAfterMs?: undefined }) &
      (Reason extends IssueReason
        ? { readonly issues?: readonly Issue[] | undefined }
        : { readonly issues?: undefined }) &
      (Reason extends ExampleReason ? { readonly example?: JsonValue | undefined } : { readonly example?: undefined }) &
      (Reason extends 'unknown_tool'
        ? { readonly near?: readonly string[] | undefined }
        : { readonly near?: undefined }) &
      (Reason extends ArgumentsReason
        ? {
            /** The tool's own schema took what was refused: no example is made of it. */
            readonly noExample?: boolean | undefined
          }
        : { readonly noExample?: undefined })
  : never

/** Signal of a layer that ends the run with the result `value`. */
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
