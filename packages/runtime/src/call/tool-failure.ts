import type { ActionFor, FailureFacts, FailureReason } from '../types/errors.js'
import type { Issue } from '../types/issue.js'
import type { JsonValue } from '../types/json.js'

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
  override readonly name: string = 'ToolFailure'
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

/** What a model is told where an error was not thrown for it to see. */
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

/** Whether a value names a reason. */
export function isFailureReason(value: unknown): value is FailureReason {
  return typeof value === 'string' && Object.hasOwn(LEGAL_ACTIONS, value)
}

/** A reason with the action that suits the fact, where it is not the reason's usual one. */
export interface Verdict {
  readonly reason: Exclude<FailureReason, 'missing_fields' | 'invalid_arguments' | 'unknown_tool' | 'interrupted'>
  readonly action?: 'correct_call' | 'replan'
  /** The service may have done the work although there was no proper answer. */
  readonly mayHaveRun?: true
  /** The causes of the error say nothing more exact. */
  readonly isExact?: true
}

/** Facts that mean the same. */
export type Row<Fact> = readonly [verdict: Verdict, ...facts: readonly Fact[]]

/** The service does not take these values. */
export const WRONG_VALUES: Verdict = { reason: 'domain_rejection', action: 'correct_call' }
/** The state of things forbids it. */
export const REJECTED: Verdict = { reason: 'domain_rejection' }
/** Other arguments do not help. */
export const DENIED: Verdict = { reason: 'denied' }
/** The service asks to slow down. */
export const RATE_LIMITED: Verdict = { reason: 'rate_limited' }
/** Nothing answers, or only for the moment not. */
export const UNAVAILABLE: Verdict = { reason: 'unavailable' }
/** No proper answer came; what was asked may have been done. */
export const BROKEN_OFF: Verdict = { reason: 'unavailable', mayHaveRun: true }
/** It took too long. */
export const TIMEOUT: Verdict = { reason: 'timeout' }
/** This side gave up. */
export const CANCELLED: Verdict = { reason: 'cancelled' }
/** The executor speaks to the service wrongly. */
export const INTERNAL: Verdict = { reason: 'internal' }

/** Looks facts up. */
export function verdictsOf<Fact>(rows: readonly Row<Fact>[]): ReadonlyMap<Fact, Verdict> {
  return new Map(rows.flatMap(([verdict, ...facts]) => facts.map((fact): [Fact, Verdict] => [fact, verdict])))
}

/** Reads a property of anything, also of what throws when it is read. */
export function peek(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  try {
    return Reflect.get(value, key)
  } catch {
    // A hostile getter or a revoked proxy tells nothing.
    return undefined
  }
}

/** The first property of those named that is not absent. */
export function peekFirst(value: unknown, ...paths: readonly string[]): unknown {
  for (const path of paths) {
    const found = path.split('.').reduce(peek, value)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}
