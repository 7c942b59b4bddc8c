import type { Issue } from '../types/codec.js'
import type { ActionFor, FailureFacts, FailureReason } from '../types/failure.js'
import type { JsonValue } from '../types/json.js'

/** Options of a {@link ToolFailure}: the reason, the recommended action, and details for the hint. The default of `reason` is `domain_rejection`. */
export type ToolFailureOptions =
  | (FailureFacts & { readonly cause?: unknown })
  | (Omit<FailureFacts<'domain_rejection'>, 'reason'> & { readonly reason?: undefined; readonly cause?: unknown })

/**
 * Failure with a message for the model. Services and executors throw this error. For other errors, models read one fixed sentence per
 * reason.
 *
 * At the end of the call, the runtime copies the properties to the hint, which models read. It omits properties of a wrong type. The hint contains
 * the first 20 items of `issues`, and the number of omitted items. If you pass the reason `missing_fields` or `invalid_arguments`, the hint has the
 * reason `missing_fields` if each issue is a missing field, and `invalid_arguments` otherwise. With these two reasons and without `issues`, the
 * message becomes the only issue.
 *
 * @example
 * throw new ToolFailure('Order A-1001 has shipped and can no longer be cancelled.', { action: 'replan' })
 */
export class ToolFailure extends Error {
  override readonly name: string = 'ToolFailure'
  readonly reason: FailureReason
  readonly action: string | undefined
  /** Wait time before the next attempt, in milliseconds. `undefined` if the time is unknown. */
  readonly retryAfterMs: number | undefined
  readonly issues: readonly Issue[] | undefined
  readonly example: JsonValue | undefined
  /** True if the hint must not contain an example generated from the tool's schema. */
  readonly noExample: boolean
  /** Names of similar tools that the hint suggests for a call of an unknown tool. `undefined` if the hint suggests no tools. */
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

/** For a failure that can be prevented only by a change of the application's code. The model must not repeat the call. */
export function callerFailure(message: string): ToolFailure {
  return new ToolFailure(message, { reason: 'internal', action: 'finish' })
}

/** Accepts a `ToolFailure` of another copy of this package. */
export function isToolFailure(error: unknown): error is ToolFailure {
  try {
    if (error instanceof ToolFailure) return true
    return (
      error instanceof Error &&
      (error.name === 'ToolFailure' || 'noExample' in error) &&
      typeof error.message === 'string' &&
      'reason' in error &&
      isFailureReason(error.reason)
    )
  } catch {
    // A value whose properties throw is not a `ToolFailure`.
    return false
  }
}

/** The first action is the default. */
export const LEGAL_ACTIONS: {
  readonly [Reason in FailureReason]: readonly [ActionFor<Reason>, ...ActionFor<Reason>[]]
} = Object.freeze({
  missing_fields: ['correct_call'],
  invalid_arguments: ['correct_call'],
  unknown_tool: ['replan'],
  denied: ['replan', 'finish'],
  domain_rejection: ['replan', 'correct_call', 'finish'],
  rate_limited: ['wait'],
  unavailable: ['wait', 'replan'],
  timeout: ['replan', 'wait'],
  malformed_result: ['replan'],
  interrupted: ['replan'],
  unknown_outcome: ['replan', 'finish'],
  cancelled: ['finish'],
  internal: ['replan', 'finish'],
})

export function malformedResult(issues: readonly Issue[] | undefined): ToolFailure {
  const [first] = issues ?? []
  const message =
    first?.constraint === 'too_deep'
      ? `The result is nested deeper than ${first.maximum} levels.`
      : FIXED_MESSAGES.malformed_result
  return new ToolFailure(message, { reason: 'malformed_result', ...(issues !== undefined && { issues }) })
}

export const FIXED_MESSAGES: Readonly<Record<FailureReason, string>> = Object.freeze({
  missing_fields: 'Required fields are missing.',
  invalid_arguments: 'The arguments are not valid.',
  unknown_tool: 'There is no tool with this name.',
  denied: 'The service denied access.',
  domain_rejection: 'The service rejected the request.',
  rate_limited: 'The service is rate limited.',
  unavailable: 'The service is not available at the moment.',
  timeout: 'The call took too long and was aborted.',
  malformed_result: 'The tool returned an invalid result.',
  interrupted: 'The call was interrupted before it ended. The tool may have done part of its work.',
  unknown_outcome:
    'The process ended while the tool was running, so the tool may have had its effect. Check the effect before you call the tool again.',
  cancelled: 'The call was cancelled.',
  internal: 'The tool failed because of an internal error.',
})

export function isFailureReason(value: unknown): value is FailureReason {
  return typeof value === 'string' && Object.hasOwn(LEGAL_ACTIONS, value)
}

export function peek(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  try {
    return (value as Readonly<Record<PropertyKey, unknown>>)[key]
  } catch {
    // For example a throwing getter or a revoked proxy.
    return undefined
  }
}

export function peekFirst(value: unknown, ...paths: readonly string[]): unknown {
  for (const path of paths) {
    const found = path.split('.').reduce(peek, value)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}
