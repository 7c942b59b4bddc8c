import type { Issue } from '../types/codec.js'
import type { FailureReason } from '../types/failure.js'
import type { JsonValue } from '../types/json.js'
import { plainIssues, plainItems, plainJson } from './plain-issues.js'
import { isFailureReason, peek } from './tool-failure.js'

/** Unlike an error object, a `Failure` never throws during access or serialization. */
export interface Failure {
  readonly reason: FailureReason
  readonly message: string
  readonly action?: string | undefined
  readonly retryAfterMs?: number | undefined
  readonly issues?: readonly Issue[] | undefined
  readonly moreIssues?: number | undefined
  readonly example?: JsonValue | undefined
  readonly noExample?: true | undefined
  readonly near?: readonly string[] | undefined
  /** `json` contains the validated data. */
  readonly declared?: { readonly name: string; readonly data?: unknown; readonly json?: JsonValue } | undefined
  readonly mayHaveRun?: true | undefined
}

const MAX_ISSUES = 20

const MAX_NEAR = 10

/** The properties of `failure` can have any type, because another copy of this package may have created the object. */
export function readFailure(failure: unknown): Failure {
  const reason = peek(failure, 'reason')
  const { issues, more: moreIssues, onlyMissing } = plainIssues(peek(failure, 'issues'), MAX_ISSUES)
  const example = plainJson(peek(failure, 'example'))
  const near = plainItems(peek(failure, 'near'))
    .filter((name) => typeof name === 'string')
    .slice(0, MAX_NEAR)
  const action = peek(failure, 'action')
  const message = peek(failure, 'message')
  const name = peek(failure, 'failure')
  const retryAfterMs = waitingTime(peek(failure, 'retryAfterMs'))
  // If only fields are missing, the reason is `missing_fields`, otherwise `invalid_arguments`.
  const isOfCall = reason === 'invalid_arguments' || reason === 'missing_fields'
  const ofCall = onlyMissing ? 'missing_fields' : 'invalid_arguments'
  return {
    reason: isOfCall ? ofCall : isFailureReason(reason) ? reason : 'internal',
    message: typeof message === 'string' ? message : '',
    ...(typeof action === 'string' && { action }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(issues.length > 0 && { issues }),
    ...(moreIssues > 0 && { moreIssues }),
    ...(example !== undefined && { example }),
    ...(peek(failure, 'noExample') === true && { noExample: true }),
    ...(near.length > 0 && { near }),
    ...(typeof name === 'string' && { declared: { name, data: peek(failure, 'data') } }),
  }
}

/** Maximum delay of a JavaScript timer: 24.8 days. */
export const MAX_WAIT_MS = 2_147_483_647

export function waitingTime(value: unknown): number | undefined {
  const isTime = typeof value === 'number' && value >= 0 && value !== Number.POSITIVE_INFINITY
  return isTime ? Math.min(Math.ceil(value), MAX_WAIT_MS) : undefined
}
