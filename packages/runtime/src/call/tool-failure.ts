import type { Issue } from '../types/codec.js'
import type { ActionFor, FailureFacts, FailureReason } from '../types/failure.js'
import type { JsonValue } from '../types/json.js'

/** Options of a {@link ToolFailure}. Default of `reason`: `domain_rejection`. */
export type ToolFailureOptions =
  | (FailureFacts & { readonly cause?: unknown })
  | (Omit<FailureFacts<'domain_rejection'>, 'reason'> & { readonly reason?: undefined; readonly cause?: unknown })

/**
 * A failure that a service or an executor throws FOR the model to see: its message is shown as it is. All other
 * errors are shown as one fixed sentence per reason.
 *
 * Its fields are read when the call ends: those of a wrong type are left out, a hint keeps the first 20 issues and
 * counts the others. The issues decide between `missing_fields` and `invalid_arguments`: without any, the message is
 * the one issue and the reason is `invalid_arguments`.
 *
 * @example
 * throw new ToolFailure('Order A-1001 has shipped and can no longer be cancelled.', { action: 'replan' })
 */
export class ToolFailure extends Error {
  override readonly name: string = 'ToolFailure'
  readonly reason: FailureReason
  readonly action: string | undefined
  /** In milliseconds. */
  readonly retryAfterMs: number | undefined
  readonly issues: readonly Issue[] | undefined
  readonly example: JsonValue | undefined
  /** True if no example is made from the tool's schema. */
  readonly noExample: boolean
  /** Names of tools that may be meant. */
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

/** Returns the failure of a call whose caller, not the model, has to change something. */
export function callerFailure(message: string): ToolFailure {
  return new ToolFailure(message, { reason: 'internal', action: 'finish' })
}

/** Returns whether a thrown value is a {@link ToolFailure}, also one of another copy of this package. */
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
    // Something with hostile traps is thrown: it is not ours.
    return false
  }
}

/** The legal actions of each reason, the usual one first. */
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
  cancelled: ['finish'],
  internal: ['replan', 'finish'],
})

/** Sentences for the model about errors that were not thrown for it. */
export const FIXED_MESSAGES: Readonly<Record<FailureReason, string>> = Object.freeze({
  missing_fields: 'The call lacks required fields.',
  invalid_arguments: 'The arguments are not valid.',
  unknown_tool: 'There is no tool of this name.',
  denied: 'The service refused access.',
  domain_rejection: 'The service rejected the request.',
  rate_limited: 'The service is rate limited.',
  unavailable: 'The service is not available at the moment.',
  timeout: 'The call took too long and was ended.',
  malformed_result: 'The tool answered with a result that breaks its contract.',
  interrupted: 'The call was interrupted before it ended; part of its work may be done.',
  cancelled: 'The call was cancelled.',
  internal: 'The tool failed for an internal reason.',
})

export function isFailureReason(value: unknown): value is FailureReason {
  return typeof value === 'string' && Object.hasOwn(LEGAL_ACTIONS, value)
}

/** Reads a property of anything, also of what throws when it is read. */
export function peek(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  try {
    return Reflect.get(value, key)
  } catch {
    // A hostile getter or a revoked proxy says nothing.
    return undefined
  }
}

/** Reads the first of several paths that is not absent. */
export function peekFirst(value: unknown, ...paths: readonly string[]): unknown {
  for (const path of paths) {
    const found = path.split('.').reduce(peek, value)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}
