import type { Issue } from './issue.js'
import type { JsonValue } from './json.js'
import type { ActionFor, FailureReason } from './retry-hint.js'

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
