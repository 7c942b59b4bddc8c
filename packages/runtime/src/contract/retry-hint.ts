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
  /** How many issues there are beyond `issues`; absent: none. */
  readonly moreIssues?: number
}

interface CallHint extends HintBase, Uncarried {
  /** At most 20. */
  readonly issues: NonEmpty<Issue>
  /** Arguments that would have been right. */
  readonly example?: JsonValue
  /** What was sent; of more than 10,000 characters the beginning and how long it was, which is no JSON then. */
  readonly rejected: JsonText
}

/** What was wrong with a failed call and what to do next. Each reason has its own legal actions. */
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
