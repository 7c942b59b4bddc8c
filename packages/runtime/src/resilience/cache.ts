import { LRUCache } from 'lru-cache'
import type { ToolLayer } from '../contract/layer.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { AgentToolSpec } from '../contract/spec.js'
import type { ToolRequest } from '../contract/tool-request.js'
import { type CacheAudience, cacheKey } from './cache-key.js'
import { cachedOutcome, type Kept, kept } from './cached-outcome.js'
import { abortedOutcome, endOf } from './call-end.js'
import { requireMilliseconds, requireWhole } from './number-options.js'

/** How a cache differs from the plainest one. */
export interface CacheOptions {
  /** How long an answer is good, in milliseconds, at least 1. Default 60,000. */
  readonly ttlMs?: number
  /** How many answers are kept for each tool; the ones that were not asked for the longest time go first. Default 500. */
  readonly maxEntries?: number
  /** Who may be given an answer. Default `session`. */
  readonly audience?: CacheAudience
  /** Milliseconds since the epoch, for `ttlMs` and `provenance.durationMs`. Default: the machine's clock. */
  readonly now?: () => number
}

/**
 * Answers equal calls of a read-only tool once. Calls are equal when their payloads are, the values that fill server-owned
 * fields, the session, the agent and the labels. Equal calls at the same time share one execution. Only results are kept,
 * never failures; an outcome from the cache has its own call and `provenance.extra.cache` `'hit'`. Each tool has its own
 * answers wherever the layer is attached.
 *
 * Tools that are not declared read-only, that stream, or that a person confirms pass untouched. Layers inside the cache
 * see only the calls that it could not answer: attach `approval` and what depends on `env` outside.
 *
 * @throws {RangeError} when `ttlMs` or `maxEntries` is no whole number from 1 on.
 *
 * @example
 * registration.layer(cache({ ttlMs: 30_000 }))
 */
export function cache(options: CacheOptions = {}): ToolLayer {
  const { ttlMs = 60_000, maxEntries = 500, audience = 'session', now = Date.now } = options
  // Without a clock of the caller the library uses a monotonic one.
  const clock = options.now === undefined ? {} : { perf: { now } }
  requireWhole('cache: ttlMs', ttlMs, 1)
  requireMilliseconds('cache: ttlMs', ttlMs)
  requireWhole('cache: maxEntries', maxEntries, 1)
  return (next) => {
    // A resolution of 0 keeps the library from starting a timer at each look.
    const answers = new LRUCache<string, Kept>({ max: maxEntries, ttl: ttlMs, ttlResolution: 0, ...clock })
    const underWay = new Map<string, Promise<Kept | undefined>>()

    const asked = async (key: string, outcome: Promise<ToolOutcome>): Promise<Kept | undefined> => {
      // Who waits for a call that cannot even fail asks for itself.
      const answer = await outcome.then(kept, () => undefined)
      if (answer !== undefined) answers.set(key, answer)
      underWay.delete(key)
      return answer
    }

    return async (request) => {
      const key = isCacheable(request.tool) ? await keyOf(request, audience) : undefined
      if (key === undefined) return next(request)
      const other = underWay.get(key)
      const answer = answers.get(key) ?? (other && (await orAborted(other, request.meta.signal)))
      if (answer !== undefined) return cachedOutcome(answer, request, now())
      if (request.meta.signal.aborted) return abortedOutcome(request)
      const outcome = endOf(next, request)
      if (!underWay.has(key)) underWay.set(key, asked(key, outcome))
      return outcome
    }
  }
}

function isCacheable({ annotations, updates, confirmation }: AgentToolSpec): boolean {
  return annotations.readOnly === true && updates === undefined && confirmation === undefined
}

/** `undefined` too for arguments that are not valid: the tool says so itself. */
async function keyOf(request: ToolRequest, audience: CacheAudience): Promise<string | undefined> {
  const decoded = await request.decode()
  return decoded.ok ? cacheKey(request.tool, decoded.value, request.meta, audience) : undefined
}

/** What a promise gives; `undefined` when the signal is aborted first. */
function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined)
    signal.addEventListener('abort', stop)
    promise.finally(() => signal.removeEventListener('abort', stop)).then(resolve, reject)
  })
}
