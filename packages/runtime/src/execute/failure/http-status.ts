import type { FailureReason } from '../../contract/retry-hint.js'
import { peekFirst } from './peek.js'

/** A reason with the action that suits the fact, where it is not the reason's usual one. */
export interface Verdict {
  readonly reason: Exclude<FailureReason, 'missing_fields' | 'invalid_arguments' | 'unknown_tool' | 'interrupted'>
  readonly action?: 'correct_call' | 'replan'
}

const STATUS_PATHS = ['status', 'statusCode', 'response.status', 'response.statusCode', '$metadata.httpStatusCode']

/** The HTTP status (400 to 599) that an error carries, wherever its library puts it. */
export function httpStatus(error: unknown): number | undefined {
  for (const path of STATUS_PATHS) {
    const status = peekFirst(error, path)
    if (typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599) return status
  }
  return undefined
}

/**
 * What an HTTP status says of a failed call:
 *
 * | status | reason | why |
 * |---|---|---|
 * | 400, 413, 414, 422 | `domain_rejection`, correct the call | the service does not take these values |
 * | 401, 403, 407, 451 | `denied` | other arguments do not help |
 * | 402, 404, 409, 410, 412, other 4xx | `domain_rejection`, plan anew | the state of things forbids it |
 * | 405, 406, 411, 415, 426, 428, 431, 501, 505 | `internal` | the executor speaks to the service wrongly |
 * | 408, 504, 524 | `timeout` | |
 * | 423, 425 | `unavailable` | locked, too early |
 * | 429 | `rate_limited` | |
 * | other 5xx | `unavailable` | |
 */
export function verdictOfStatus(status: number): Verdict {
  return BY_STATUS.get(status) ?? { reason: status >= 500 ? 'unavailable' : 'domain_rejection' }
}

const CORRECT: Verdict = { reason: 'domain_rejection', action: 'correct_call' }

const BY_STATUS: ReadonlyMap<number, Verdict> = new Map<number, Verdict>([
  ...[400, 413, 414, 422].map((status): [number, Verdict] => [status, CORRECT]),
  ...[401, 403, 407, 451].map((status): [number, Verdict] => [status, { reason: 'denied' }]),
  ...[405, 406, 411, 415, 426, 428, 431, 501, 505].map((status): [number, Verdict] => [status, { reason: 'internal' }]),
  ...[408, 504, 524].map((status): [number, Verdict] => [status, { reason: 'timeout' }]),
  ...[423, 425].map((status): [number, Verdict] => [status, { reason: 'unavailable' }]),
  [429, { reason: 'rate_limited' }],
])
