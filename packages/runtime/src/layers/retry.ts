import { isRepeatable } from '../call/call-context.js'
import { doublingDelay } from '../call/timers.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'

export interface RetryOptions {
  /** Maximum number of attempts, including the first attempt. Default: 2. */
  readonly attempts?: number
  /**
   * Returns the wait before an attempt, in milliseconds. The layer calls this function if the hint contains no `retryAfterMs`. Default: 100 before
   * the second attempt, doubled for each later attempt, at most 5,000.
   *
   * @param attempt number of the attempt; 2 for the first retry
   */
  readonly delayMs?: (attempt: number) => number
  /** Maximum wait in milliseconds. If the hint of a failed call requires a longer wait, the layer does not retry the call. Default: 10,000. */
  readonly maxWaitMs?: number
}

/**
 * Retries a failed call if two conditions are met. First, the reason of the failure is `unavailable`, `timeout` or `rate_limited`. Second, the hint
 * recommends the action `wait`, or the tool may run twice. A tool may run twice if it is declared idempotent or read-only, or if it receives an
 * idempotency key. The layer does not retry a streaming tool that has emitted an update. Before a retry, the layer waits for the time `retryAfterMs`
 * in the hint. If the hint contains no such time, the layer waits for the time that `delayMs` returns. A cancellation of the call ends the wait.
 * `provenance.attempts` counts the attempts.
 *
 * @throws {RangeError} if `attempts` is not an integer of at least 1, or if `maxWaitMs` is negative.
 * @throws {TypeError} if `delayMs` is not a function.
 *
 * @example registration.layer(retry({ attempts: 3 }))
 */
export function retry(options: RetryOptions = {}): ToolLayer {
  const { attempts = 2, delayMs = defaultDelayMs, maxWaitMs = 10_000 } = options
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new RangeError(`retry: attempts must be an integer of at least 1, but is ${attempts}`)
  if (typeof delayMs !== 'function') throw new TypeError('retry: delayMs must be a function')
  if (!(maxWaitMs >= 0)) throw new RangeError(`retry: maxWaitMs must be at least 0 milliseconds, but is ${maxWaitMs}`)
  return (next) => async (request) => {
    let outcome = await next(request)
    for (let tried = 1; tried < attempts; tried += 1) {
      if (!mayRetry(outcome, request)) return outcome
      const { hint } = outcome
      const waitMs = ('retryAfterMs' in hint ? hint.retryAfterMs : undefined) ?? delayMs(tried + 1)
      if (waitMs > maxWaitMs || !(await request.sleep(waitMs))) return outcome
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
  return hint.action === 'wait' || isRepeatable(tool)
}

function defaultDelayMs(attempt: number): number {
  return doublingDelay(attempt - 1, 100, 5_000)
}
