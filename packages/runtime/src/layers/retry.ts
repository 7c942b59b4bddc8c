import { sleep } from '../call/timers.js'
import type { RetryHint } from '../types/failure.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'

/** Options of `retry`. */
export interface RetryOptions {
  /** Maximum number of attempts, including the first. Default 2. */
  readonly attempts?: number
  /**
   * Wait before an attempt in milliseconds, if the hint has none. Default: 100, doubled for each attempt, at most
   * 5,000.
   *
   * @param attempt 2 for the first retry
   */
  readonly delayMs?: (attempt: number) => number
  /** A longer wait than this, in milliseconds, is left to the planner. Default 10,000. */
  readonly maxWaitMs?: number
}

/**
 * Tries a tool again where its hint allows: when the service was not available, too slow or rate limited, and the hint
 * says to wait, or the tool is declared idempotent or read-only. Never after an update was emitted. Waits as long as the
 * hint says (`retryAfterMs`), and stops waiting when the call is cancelled. The attempts are counted in
 * `provenance.attempts`.
 *
 * @throws {RangeError} when `attempts` is no whole number from 1 on, or `maxWaitMs` none from 0 on; {TypeError} when
 * `delayMs` is no function.
 *
 * @example
 * registration.layer(retry({ attempts: 3 }))
 */
export function retry(options: RetryOptions = {}): ToolLayer {
  const { attempts = 2, delayMs = doubling, maxWaitMs = 10_000 } = options
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new RangeError(`retry: attempts is ${attempts}, give 1 or more`)
  if (typeof delayMs !== 'function') throw new TypeError('retry: delayMs is no function')
  if (!(maxWaitMs >= 0)) throw new RangeError(`retry: maxWaitMs is ${maxWaitMs}, give milliseconds from 0 on`)
  return (next) => async (request) => {
    let outcome = await next(request)
    for (let tried = 1; tried < attempts; tried += 1) {
      if (!mayRetry(outcome, request)) return outcome
      const waitMs = waitOf(outcome.hint) ?? delayMs(tried + 1)
      if (waitMs > maxWaitMs || !(await sleep(waitMs, request.meta.signal))) return outcome
      outcome = await next(request.again())
    }
    return outcome
  }
}

function mayRetry(
  outcome: ToolOutcome,
  { tool, meta, emitted }: ToolRequest,
): outcome is Extract<ToolOutcome, { status: 'failed' }> {
  if (outcome.status !== 'failed' || outcome.stop !== undefined || emitted || meta.signal.aborted) return false
  const { hint } = outcome
  if (hint.reason !== 'unavailable' && hint.reason !== 'timeout' && hint.reason !== 'rate_limited') return false
  return hint.action === 'wait' || tool.annotations.idempotent === true || tool.annotations.readOnly === true
}

function waitOf(hint: RetryHint): number | undefined {
  return 'retryAfterMs' in hint ? hint.retryAfterMs : undefined
}

function doubling(attempt: number): number {
  return Math.min(5_000, 100 * 2 ** (attempt - 2))
}
