import { RateLimiter } from 'limiter'
import { sleep } from '../call/timers.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer } from '../types/layer.js'
import { abortedOutcome, requireMilliseconds, requireWhole, type StateScope, stateOf } from './backoff.js'
import { WaitingLine } from './bulkhead.js'

class Quota {
  readonly #limiter: RateLimiter
  readonly #calls: number
  readonly #perMs: number
  readonly #line = new WaitingLine()
  #hasHead = false

  constructor(calls: number, perMs: number) {
    this.#limiter = new RateLimiter({ tokensPerInterval: calls, interval: perMs })
    this.#calls = calls
    this.#perMs = perMs
  }

  /** Returns the wait in milliseconds if it exceeds `maxWaitMs`. */
  async take(signal: AbortSignal, maxWaitMs: number): Promise<'taken' | 'cancelled' | number> {
    if (signal.aborted) return 'cancelled'
    if (!this.#hasHead && this.#limiter.tryRemoveTokens(1)) return 'taken'
    const ahead = this.#line.length + (this.#hasHead ? 1 : 0)
    const rounds = Math.floor(ahead / this.#calls)
    const waitMs = Math.max(1, rounds * this.#perMs + this.#limiter.getWaitTime((ahead % this.#calls) + 1))
    if (waitMs > maxWaitMs) return waitMs
    if (this.#hasHead && (await this.#line.wait(signal, () => true)) === undefined) return 'cancelled'
    this.#hasHead = true
    try {
      while (!signal.aborted) {
        if (this.#limiter.tryRemoveTokens(1)) return 'taken'
        await sleep(Math.max(1, this.#limiter.getWaitTime(1)), signal)
      }
      return 'cancelled'
    } finally {
      this.#hasHead = this.#line.callNext()
    }
  }
}

/** Options for `rateLimit`. */
export interface RateLimitOptions {
  /** Maximum number of calls that start in `perMs`. */
  readonly calls: number
  /** Interval in milliseconds. */
  readonly perMs: number
  /** Maximum wait in milliseconds. A call that would wait longer fails at once. Default: 0, so calls never wait. */
  readonly maxWaitMs?: number
  /** Calls that share the limit. Default: `layer`, because tools usually share a quota. */
  readonly per?: StateScope
}

/**
 * Limits the rate of calls. A call over the limit fails at once with the reason `rate_limited` and the time to wait in
 * `retryAfterMs`. With `maxWaitMs`, calls wait in order of arrival unless their wait would be longer than `maxWaitMs`.
 * Retries inside this layer are not counted; attach it inside `retry` to count every attempt.
 *
 * @throws {RangeError} if `calls` or `perMs` is not an integer of at least 1, or `maxWaitMs` is out of range.
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
      if (taken === 'cancelled') return abortedOutcome(request)
      const message = 'The rate limit of the tool is reached.'
      return request.fail(new ToolFailure(message, { reason: 'rate_limited', retryAfterMs: taken }))
    }
  }
}
