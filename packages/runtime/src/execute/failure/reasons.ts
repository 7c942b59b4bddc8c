import type { ActionFor, FailureReason } from '../../contract/retry-hint.js'

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
