import { ModelAnswerError } from '../agent/model-answer-error.js'
import type { FailureReason } from '../contract/retry-hint.js'
import { classify } from '../execute/failure/classify.js'
import { peek } from '../execute/failure/peek.js'

/** What the codes and types of errors mean that come without a status; any other one may pass. */
const REASONS: ReadonlyMap<unknown, FailureReason> = new Map<unknown, FailureReason>([
  ['rate_limit_exceeded', 'rate_limited'],
  ['rate_limit_error', 'rate_limited'],
  ['insufficient_quota', 'denied'],
  ['invalid_api_key', 'denied'],
  ['authentication_error', 'denied'],
  ['permission_error', 'denied'],
  ['content_filter', 'denied'],
  ['content_policy_violation', 'denied'],
  ['context_length_exceeded', 'domain_rejection'],
  ['model_not_found', 'domain_rejection'],
  ['invalid_request_error', 'domain_rejection'],
])

/** The error that a server sent where an answer was due: in the body of a good answer, or within a stream. */
export function errorAnswer(error: object, cause: unknown = error): ModelAnswerError {
  const [code, type] = [peek(error, 'code'), peek(error, 'type')]
  // Some send a status as the code.
  const status = typeof code === 'number' ? classify({ status: code }, 0).reason : 'internal'
  const reason = status === 'internal' ? (REASONS.get(code) ?? REASONS.get(type) ?? 'unavailable') : status
  return new ModelAnswerError('error_answer', { reason, cause })
}

/** What a request or a stream was rejected with, as the classifier can tell it. */
export function requestError(error: unknown): unknown {
  if (error instanceof SyntaxError) return new ModelAnswerError('not_json', { cause: error })
  const sent = peek(error, 'error')
  const isInStream = typeof sent === 'object' && sent !== null && peek(error, 'status') === undefined
  return isInStream ? errorAnswer(sent, error) : error
}
