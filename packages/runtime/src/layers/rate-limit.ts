import { RateLimiter } from 'limiter'
import { LRUCache } from 'lru-cache'
import { sleep } from '../call/timers.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { LimitStore, SharedRate } from '../types/limits.js'
import { abortedOutcome, requireMilliseconds, requireWhole, type StateScope, stateOf } from './backoff.js'
import { WaitingLine } from './bulkhead.js'
import { requireStore, StoreAccess, type StoreOptions, Unreachable, unlessAborted } from './shared-store.js'

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

  /** If the wait would exceed `maxWaitMs`, immediately returns the required wait in milliseconds. */
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

/** The store reserves a start time for each waiting call, so that a call needs only one request to the store. */
class SharedQuota {
  readonly #store: StoreAccess
  readonly #rate: SharedRate
  readonly #per: StateScope
  readonly #local: Quota | undefined

  constructor(store: LimitStore, rate: SharedRate, per: StateScope, local: Quota | undefined) {
    this.#store = StoreAccess.of(store)
    this.#rate = rate
    this.#per = per
    this.#local = local
  }

  async take(request: ToolRequest): Promise<'taken' | 'cancelled' | number | Unreachable> {
    const { meta, tool } = request
    const { signal } = meta
    const rate = this.#per === 'tool' ? { ...this.#rate, name: `${this.#rate.name}/${tool.id}` } : this.#rate
    const grant = await unlessAborted(signal, () => this.#store.ask((store) => store.take(rate)))
    if (grant === undefined) return 'cancelled'
    if (grant instanceof Unreachable) return this.#local?.take(signal, rate.maxWaitMs) ?? grant
    // Many rejected calls must not return at the same moment.
    if (!grant.admitted) return Math.max(1, Math.ceil(grant.retryAfterMs + (Math.random() * rate.perMs) / rate.calls))
    return grant.waitMs <= 0 || (await request.sleep(grant.waitMs)) ? 'taken' : 'cancelled'
  }
}

export type RateLimitOptions = RateOptions & StoreOptions

interface RateOptions {
  readonly calls: number
  readonly perMs: number
  /** Maximum wait in milliseconds. A call that would have to wait longer fails immediately. Default: 0, so that calls never wait. */
  readonly maxWaitMs?: number
  /** Group of calls that share the limit. Default: `layer`, because tools usually share a quota. */
  readonly per?: StateScope
  /**
   * Returns the key of a call, for example the id of its user. Each key has its own limit. Calls without a key share one limit. The layer
   * stores the 10,000 most recently used keys. Default: one limit for all calls.
   */
  readonly key?: (request: ToolRequest) => string | undefined
}

/**
 * Limits the rate of calls. A call above the limit immediately fails with the reason `rate_limited`, and `retryAfterMs` contains the
 * required wait. With `maxWaitMs`, calls wait in order of arrival if their wait is at most `maxWaitMs`. The layer does not count retries by
 * inner layers. To count every attempt, attach this layer inside `retry`.
 *
 * With `store` and `name`, the processes on all machines share the limit. The store admits at most `calls` calls in any interval of `perMs`.
 * Each call needs one round trip to the store.
 *
 * @throws {RangeError} if `calls` or `perMs` is not an integer of at least 1, or if `maxWaitMs` is out of range.
 * @throws {TypeError} if `store` is not a store, or if only one of `store` and `name` is set.
 *
 * @example
 * registration.layer(rateLimit({ calls: 10, perMs: 1_000, maxWaitMs: 2_000 }))
 *
 * @example
 * registration.layer(rateLimit({ calls: 60, perMs: 60_000, key: ({ meta }) => meta.labels.user }))
 *
 * @example
 * const store = postgresLimits((text, values) => pool.query(text, values))
 * registration.layer(rateLimit({ calls: 10, perMs: 1_000, store, name: 'payments' }))
 */
export function rateLimit(options: RateLimitOptions): ToolLayer {
  const { calls, perMs, maxWaitMs = 0, per = 'layer', key, store, name, whenUnreachable } = options
  requireStore('rateLimit', options)
  requireWhole('rateLimit: calls', calls, 1)
  requireWhole('rateLimit: perMs', perMs, 1)
  requireMilliseconds('rateLimit: maxWaitMs', maxWaitMs)
  if (store !== undefined) {
    const local = (): Quota | undefined => (whenUnreachable === 'local' ? new Quota(calls, perMs) : undefined)
    const newQuota = (of: string): SharedQuota => {
      const rate = { name: of === '' ? name : `${name}/${of}`, calls, perMs, maxWaitMs }
      return new SharedQuota(store, rate, per, local())
    }
    const quotasOfTool = stateOf(per, () => new Quotas(key, newQuota))
    return limited(quotasOfTool, (quotas, request) => quotas.of(request).take(request))
  }
  const quotasOfTool = stateOf(per, () => new Quotas(key, () => new Quota(calls, perMs)))
  return limited(quotasOfTool, (quotas, request) => quotas.of(request).take(request.meta.signal, maxWaitMs))
}

const MAX_KEYS = 10_000

class Quotas<State extends object> {
  readonly #key: RateOptions['key']
  readonly #newQuota: (key: string) => State
  readonly #quotas = new LRUCache<string, State>({ max: MAX_KEYS })

  constructor(key: RateOptions['key'], newQuota: (key: string) => State) {
    this.#key = key
    this.#newQuota = newQuota
  }

  of(request: ToolRequest): State {
    const key = this.#key?.(request) ?? ''
    const quota = this.#quotas.get(key) ?? this.#newQuota(key)
    this.#quotas.set(key, quota)
    return quota
  }
}

function limited<State>(
  quotaOfTool: () => State,
  take: (quota: State, request: ToolRequest) => Promise<'taken' | 'cancelled' | number | Unreachable>,
): ToolLayer {
  return (next) => {
    const quota = quotaOfTool()
    return async (request) => {
      const taken = await take(quota, request)
      if (taken === 'taken') return next(request)
      if (taken === 'cancelled') return abortedOutcome(request)
      if (taken instanceof Unreachable) return taken.outcome('rate limit', request)
      const message = 'The rate limit of the tool is reached.'
      return request.fail(new ToolFailure(message, { reason: 'rate_limited', retryAfterMs: taken }))
    }
  }
}
