import { RateLimiter } from 'limiter'
import { sleep } from '../call/timers.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer } from '../types/layer.js'
import { abortedOutcome, requireMilliseconds, requireWhole, type StateScope, stateOf } from './backoff.js'
import { WaitingLine } from './bulkhead.js'

/** Limit for calls in an interval. `limiter` counts them; calls wait in line until their signal is aborted. */
class Quota {
  readonly #limiter: RateLimiter
  readonly #calls: number
  readonly #perMs: number
  readonly #line = new WaitingLine()
  /** True while a call waits for time to pass; others wait behind it. */
  #hasHead = false

  constructor(calls: number, perMs: number) {
    this.#limiter = new RateLimiter({ tokensPerInterval: calls, interval: perMs })
    this.#calls = calls
    this.#perMs = perMs
  }

  /**
   * Takes one call of the quota.
   *
   * @returns `taken`, `cancelled` if the signal is aborted first, or the wait in milliseconds if it exceeds `maxWaitMs`
   */
  async take(signal: AbortSignal, maxWaitMs: number): Promise<'taken' | 'cancelled' | number> {
    if (signal.aborted) return 'cancelled'
    if (!this.#hasHead && this.#limiter.tryRemoveTokens(1)) return 'taken'
    const waitMs = this.#waitMs()
    if (waitMs > maxWaitMs) return waitMs
    if (this.#hasHead && (await this.#line.wait(signal, () => true)) === undefined) return 'cancelled'
    this.#hasHead = true
    try {
      return (await this.#atHead(signal)) ? 'taken' : 'cancelled'
    } finally {
      this.#hasHead = this.#line.callNext()
    }
  }

  async #atHead(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (this.#limiter.tryRemoveTokens(1)) return true
      await sleep(Math.max(1, this.#limiter.getWaitTime(1)), signal)
    }
    return false
  }

  /** Wait of a call that arrives now, in milliseconds, at least 1. */
  #waitMs(): number {
    const ahead = this.#line.length + (this.#hasHead ? 1 : 0)
    const rounds = Math.floor(ahead / this.#calls)
    return Math.max(1, rounds * this.#perMs + this.#limiter.getWaitTime((ahead % this.#calls) + 1))
  }
}

/** Options of `rateLimit`. */
export interface RateLimitOptions {
  /** Maximum number of calls that start in `perMs`. */
  readonly calls: number
  /** In milliseconds. */
  readonly perMs: number
  /** A call that would have to wait longer than this, in milliseconds, fails at once. Default 0: none waits. */
  readonly maxWaitMs?: number
  /** Calls that are counted together. Default `layer`: tools mostly share a quota. */
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
      if (taken === 'cancelled') return abortedOutcome(request)
      const message = 'The limit of calls in a time is reached.'
      return request.fail(new ToolFailure(message, { reason: 'rate_limited', retryAfterMs: taken }))
    }
  }
}
