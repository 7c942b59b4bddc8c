import type { ToolLayer } from '../contract/layer.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { Breaker } from './breaker.js'
import { endOf } from './call-end.js'
import { requireMilliseconds, requireWhole } from './number-options.js'
import { type StateScope, stateOf } from './state-scope.js'

/** A share of failed calls that is too high. */
export interface FailureRate {
  /** More than 0 and less than 1: it opens when more than this share of the calls failed. */
  readonly above: number
  /** Of how many calls, the last ones; before there were as many it does not open. */
  readonly calls: number
}

/** How a circuit breaker differs from the plainest one. */
export interface CircuitBreakerOptions {
  /** When it opens: after so many failures in a row, or at a rate of them. Default 5 in a row. */
  readonly failures?: number | FailureRate
  /** How long it stays open before one call may test the service, in milliseconds. Default 10,000. */
  readonly halfOpenAfterMs?: number
  /** Whose failures are counted together. Default `tool`: one tool that fails says nothing of the others. */
  readonly per?: StateScope
}

/**
 * Leaves a service alone that keeps failing. After too many failures it is open: calls fail at once as `unavailable`, with
 * the time that is left in `retryAfterMs`. Then one call tests the service, while others still fail; it closes when the
 * test goes well and opens again when not.
 *
 * `unavailable`, `timeout`, `rate_limited` and `internal` count as failures, results and domain rejections as successes.
 * Other ends, such as invalid arguments, a denial or a cancellation, say nothing of the service and do not count; a test
 * that ends so has shown nothing, and the breaker opens again. Attach it inside `bulkhead` and `rateLimit`, whose
 * refusals are not the service's.
 *
 * @throws {RangeError} when a number is out of its bounds.
 *
 * @example
 * registration.layer(circuitBreaker({ failures: 3, halfOpenAfterMs: 5_000 }))
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): ToolLayer {
  const { failures = 5, halfOpenAfterMs = 10_000, per = 'tool' } = options
  requireFailures(failures)
  requireMilliseconds('circuitBreaker: halfOpenAfterMs', halfOpenAfterMs)
  const breakerOfTool = stateOf(per, () => new Breaker(failures, halfOpenAfterMs))
  return (next) => {
    const breaker = breakerOfTool()
    return async (request) => {
      const outcome = await breaker.pass(() => endOf(next, request))
      return outcome ?? request.fail(refusal(breaker.retryAfterMs))
    }
  }
}

function requireFailures(failures: number | FailureRate): void {
  if (typeof failures === 'number') {
    requireWhole('circuitBreaker: failures', failures, 1)
    return
  }
  requireWhole('circuitBreaker: failures.calls', failures.calls, 1)
  if (!(failures.above > 0 && failures.above < 1)) {
    throw new RangeError(`circuitBreaker: failures.above is ${failures.above}, give more than 0 and less than 1`)
  }
}

function refusal(retryAfterMs: number | undefined): ToolFailure {
  return new ToolFailure('The tool has failed repeatedly and is not tried for the moment.', {
    reason: 'unavailable',
    action: 'wait',
    retryAfterMs,
  })
}
