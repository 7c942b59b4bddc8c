import { LRUCache } from 'lru-cache'
import { metaValue } from '../call/call-context.js'
import { untilAborted } from '../call/timers.js'
import { equalityKey } from '../schema/json-values.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { Provenance, ToolOutcome } from '../types/outcome.js'
import { abortedOutcome, endOf, requireMilliseconds, requireWhole } from './backoff.js'

export interface CacheOptions {
  /** Lifetime of an entry in milliseconds, at least 1. Default: 60,000. */
  readonly ttlMs?: number
  /** Maximum number of entries per tool. Above this number, the layer removes the least recently used entries. Default: 500. */
  readonly maxEntries?: number
  /** Group of callers that share cached results. Default: `session`. */
  readonly audience?: CacheAudience
  /** Returns the current time in milliseconds since the Unix epoch. Default: `Date.now`. */
  readonly now?: () => number
}

/**
 * Runs equal calls of a read-only tool once, and reuses the result. By default, calls are equal if they have the same payload, server-owned
 * fields, session, agent and labels. Concurrent equal calls share one execution. The layer does not cache failures. In an outcome from the
 * cache, `call` identifies the new call, and `provenance.extra.cache` is `'hit'`. Each tool has its own cache, even if several tools share one
 * layer.
 *
 * The layer caches only tools that are declared read-only, that do not stream, and that need no confirmation. Layers inside the cache do
 * not run for cached calls. Attach `approval`, and layers that depend on `env`, outside the cache.
 *
 * @throws {RangeError} if `ttlMs` or `maxEntries` is not an integer of at least 1.
 *
 * @example
 * registration.layer(cache({ ttlMs: 30_000 }))
 */
export function cache(options: CacheOptions = {}): ToolLayer {
  const { ttlMs = 60_000, maxEntries = 500, audience = 'session', now = Date.now } = options
  // Without `now`, the library uses a monotonic clock.
  const clock = options.now === undefined ? {} : { perf: { now } }
  requireWhole('cache: ttlMs', ttlMs, 1)
  requireMilliseconds('cache: ttlMs', ttlMs)
  requireWhole('cache: maxEntries', maxEntries, 1)
  return (next) => {
    // With a resolution of 0, the library starts no timer per read.
    const results = new LRUCache<string, CachedResult>({ max: maxEntries, ttl: ttlMs, ttlResolution: 0, ...clock })
    const running = new Map<string, Promise<CachedResult | undefined>>()

    const shared = async (key: string, outcome: Promise<ToolOutcome>): Promise<CachedResult | undefined> => {
      // After an error, the waiting calls execute the tool themselves.
      const result = await outcome.then(cachedResult, () => undefined)
      if (result !== undefined) results.set(key, result)
      running.delete(key)
      return result
    }

    return async (request) => {
      const { annotations, updates, confirmation } = request.tool
      const isCacheable = annotations.readOnly === true && updates === undefined && confirmation === undefined
      const key = isCacheable ? await keyOf(request, audience) : undefined
      if (key === undefined) return next(request)
      const { signal } = request.meta
      const other = running.get(key)
      const result = results.get(key) ?? (other && (await untilAborted(signal, () => other).catch(() => undefined)))
      if (result !== undefined) return cachedOutcome(result, request, now())
      if (signal.aborted) return abortedOutcome(request)
      const outcome = endOf(next, request)
      if (!running.has(key)) running.set(key, shared(key, outcome))
      return outcome
    }
  }
}

/**
 * Group of callers that share cached results:
 * - `session`: calls with the same session, agent and labels. Outside a session, calls of the same run share results. Calls outside sessions and runs
 *   are not cached.
 * - `everyone`: all callers. Use this value only for results that are the same for all users, sessions and agents.
 */
export type CacheAudience = 'session' | 'everyone'

async function keyOf(request: ToolRequest, audience: CacheAudience): Promise<string | undefined> {
  const { tool, meta } = request
  const decoded = await request.decode()
  if (!decoded.ok) return undefined
  const payload = equalityKey(decoded.value)
  const owned = tool.serverOwned.map(({ from }) => metaValue(meta, from) ?? null)
  if (audience === 'everyone') return JSON.stringify([payload, owned])
  const { sessionId, runId, agent = null, labels } = meta
  if (sessionId === undefined && runId === undefined) return undefined
  const caller = sessionId === undefined ? ['run', runId] : ['session', sessionId]
  return JSON.stringify([payload, owned, caller, agent, equalityKey(labels)])
}

type CachedResult = Pick<Extract<ToolOutcome, { status: 'completed' }>, 'result' | 'json' | 'content'>

function cachedResult(outcome: ToolOutcome): CachedResult | undefined {
  if (outcome.status !== 'completed' || outcome.stop !== undefined) return undefined
  // The tool ran with other arguments than those of the call.
  if (outcome.provenance.approval?.edited !== undefined) return undefined
  const { result, json, content } = outcome
  try {
    return { result: structuredClone(result), json, ...(content !== undefined && { content }) }
  } catch {
    // Results of hand-written tools can contain functions, for example.
    return undefined
  }
}

function cachedOutcome({ result, ...cached }: CachedResult, request: ToolRequest, now: number): ToolOutcome {
  const { model, service, reads, extra } = result.provenance
  const provenance: Provenance = {
    tool: request.call.tool,
    durationMs: Math.max(0, now - request.startedAt),
    attempts: request.meta.attempt - 1,
    ...(model !== undefined && { model }),
    ...(service !== undefined && { service }),
    // The caller reads the data, although the tool does not run.
    ...(reads !== undefined && { reads }),
    extra: { ...structuredClone(extra), cache: 'hit' },
  }
  const data = structuredClone(result.data)
  return { call: request.call, provenance, status: 'completed', result: { data, provenance }, ...cached }
}
