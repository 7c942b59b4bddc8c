import type { Issue } from './codec.js'
import type { JsonText, JsonValue } from './json.js'

/** At least one element. */
export type NonEmpty<T> = readonly [T, ...T[]]

/** Required field that a call lacks. */
export interface MissingField {
  /** JSON Pointer of the field. */
  readonly path: string
  /** Description of the field in the schema. */
  readonly description?: string
}

interface HintBase {
  /** One sentence that may be shown to a model. */
  readonly message: string
  readonly tool: string
}

/** Issues that a hint has no room for. */
interface Uncarried {
  /** Number of further issues; absent if 0. */
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

/** Reason of a failed call. */
export type FailureReason = RetryHint['reason']

/** The hint of a reason; a hint whose reason is a union of several counts for each of them. */
type HintFor<Hint extends { readonly reason: string }, Reason> = Hint extends unknown
  ? Reason extends Hint['reason']
    ? Hint
    : never
  : never

/** The actions that are legal for a reason. */
export type ActionFor<Reason extends FailureReason> = HintFor<RetryHint, Reason>['action']

/** Reasons that concern the arguments: the hint shows valid ones. */
type ArgumentsReason = 'missing_fields' | 'invalid_arguments'

/** An optional fact of failures with some reasons; others do not have it. */
type Fact<Name extends string, Value, Reason, Reasons> = {
  readonly [Each in Name]?: Reason extends Reasons ? Value | undefined : undefined
}

/** Facts about a failure, before it becomes a hint. Each reason has its own legal actions and facts. */
export type FailureFacts<Reason extends FailureReason = FailureReason> = Reason extends FailureReason
  ? { readonly reason: Reason; readonly action?: ActionFor<Reason> | undefined } & Fact<
      'retryAfterMs',
      number,
      Reason,
      'rate_limited' | 'unavailable' | 'timeout'
    > &
      Fact<'issues', readonly Issue[], Reason, ArgumentsReason | 'domain_rejection' | 'malformed_result'> &
      Fact<'example', JsonValue, Reason, ArgumentsReason | 'domain_rejection'> &
      Fact<'near', readonly string[], Reason, 'unknown_tool'> &
      // True if the tool's own schema accepted the rejected arguments: no example is created from it.
      Fact<'noExample', boolean, Reason, ArgumentsReason>
  : never

/**
 * Failure as data, for developers. Models can read `reason` and `message`. `issues` and `cause` are for logs and are
 * never rendered for a model.
 *
 * @example
 * if (outcome.status === 'failed') for (const { path, constraint } of outcome.error.issues ?? []) log(path, constraint)
 */
export interface ToolError {
  /** Reason of the failure. */
  readonly reason: FailureReason
  /** Message that a model can read. */
  readonly message: string
  /**
   * Violations with JSON Pointer and details: of the arguments, of an invalid result, or of arguments that a payload
   * adapter changed. At most 100, then `more_issues`. Values from a service or an adapter are replaced with `…`;
   * `cause` has them. Absent without issues. An outcome that was stored or recorded and read again has the issues
   * of its hint.
   */
  readonly issues?: readonly Issue[]
  /** Thrown value, for logs. Not enumerable, and never shown to a model. */
  readonly cause?: unknown
}
