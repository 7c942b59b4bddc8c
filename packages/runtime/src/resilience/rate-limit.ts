import type { ToolLayer } from '../contract/layer.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { abortedOutcome } from './call-end.js'
import { requireMilliseconds, requireWhole } from './number-options.js'
import { Quota } from './quota.js'
import { type StateScope, stateOf } from './state-scope.js'

/** How many calls are allowed in which time. */
export interface RateLimitOptions {
  /** How many calls may begin in `perMs`. */
  readonly calls: number
  /** In milliseconds. */
  readonly perMs: number
  /** A call that would have to wait longer than this, in milliseconds, fails at once. Default 0: none waits. */
  readonly maxWaitMs?: number
  /** Whose calls are counted together. Default `layer`: a quota is mostly the service's, for all its tools. */
  readonly per?: StateScope
}

/**
 * Keeps calls within a rate. A call over it fails at once as `rate_limited`, with the time until there is room in
 * `retryAfterMs`; with `maxWaitMs` it waits, first come first served, if the wait is no longer than that. Retries beneath
 * the layer are not counted; attach it inside `retry` to count every attempt.
 *
 * @throws {RangeError} when `calls` is no whole number from 1 on, or a time none that a timer can wait.
 *
 * @example
 * registration.layer(rateLimit({ calls: 10, perMs: 1_000, maxWaitMs: 2_000 }))
 */
export function rateLimit({ calls, perMs, maxWaitMs = 0, per = 'layer' }: RateLimitOptions): ToolLayer {
  requireWhole('rateLimit: calls', calls, 1)
  requireWhole('rateLimit: perMs', perMs, 1)
  requireMilliseconds('rateLimit: maxWaitMs', maxWaitMs)
  const quotaOfTool = stateOf(per, () => new Quota(calls, perMs))
  return (next) => {
    const quota = quotaOfTool()
    return async (request) => {
      const taken = await quota.take(request.meta.signal, maxWaitMs)
      if (taken === 'taken') return next(request)
      return taken === 'cancelled' ? abortedOutcome(request) : request.fail(refusal(taken))
    }
  }
}

function refusal(retryAfterMs: number): ToolFailure {
  return new ToolFailure('The limit of calls in a time is reached.', { reason: 'rate_limited', retryAfterMs })
}
