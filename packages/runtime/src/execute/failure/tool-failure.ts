import type { FailureFacts } from '../../contract/failure.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonValue } from '../../contract/json.js'
import type { FailureReason } from '../../contract/retry-hint.js'
import { isFailureReason } from './reasons.js'

/** What a {@link ToolFailure} says beside its message. The reason is `domain_rejection` where none is given. */
export type ToolFailureOptions =
  | (FailureFacts & { readonly cause?: unknown })
  | (Omit<FailureFacts<'domain_rejection'>, 'reason'> & { readonly reason?: undefined; readonly cause?: unknown })

/**
 * A failure that a service or an executor throws FOR the model to see: its message is shown as it is. All other
 * errors are shown as one fixed sentence per reason.
 *
 * What it carries is read when the call ends: facts that are not of their type are left out, a hint keeps the first 20
 * issues and counts the others. `missing_fields` and `invalid_arguments` are told apart by the issues: without any, the
 * message is the one fault and the reason is `invalid_arguments`.
 *
 * @example
 * throw new ToolFailure('Order A-1001 has shipped and can no longer be cancelled.', { action: 'replan' })
 */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
  readonly reason: FailureReason
  readonly action: string | undefined
  /** In milliseconds. */
  readonly retryAfterMs: number | undefined
  readonly issues: readonly Issue[] | undefined
  readonly example: JsonValue | undefined
  /** Whether no example is made from the tool's schema where `example` is absent. */
  readonly noExample: boolean
  /** Names of tools that may have been meant. */
  readonly near: readonly string[] | undefined

  constructor(message: string, options: ToolFailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = options.reason ?? 'domain_rejection'
    this.action = options.action
    this.retryAfterMs = options.retryAfterMs
    this.issues = options.issues
    this.example = options.example
    this.noExample = options.noExample === true
    this.near = options.near
  }
}

/** Whether something thrown is a {@link ToolFailure}, also one of another copy of this package. */
export function isToolFailure(error: unknown): error is ToolFailure {
  try {
    if (error instanceof ToolFailure) return true
    return (
      error instanceof Error &&
      error.name === 'ToolFailure' &&
      typeof error.message === 'string' &&
      'reason' in error &&
      isFailureReason(error.reason)
    )
  } catch {
    // Something with hostile traps is thrown: it is not ours.
    return false
  }
}
