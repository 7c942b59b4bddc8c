import { LRUCache } from 'lru-cache'
import { metaValue } from '../call/call-context.js'
import { untilAborted } from '../call/timers.js'
import { equalityKey } from '../schema/json-values.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { Provenance, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec } from '../types/tool.js'
import { abortedOutcome, endOf, requireMilliseconds, requireWhole } from './backoff.js'

/** Options of `cache`. */
export interface CacheOptions {
  /** Lifetime of an entry in milliseconds, at least 1. Default 60,000. */
  readonly ttlMs?: number
  /** Maximum number of entries per tool; least recently used ones are removed. Default 500. */
  readonly maxEntries?: number
  /** Callers that share entries. Default `session`. */
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
    // A resolution of 0 keeps the library from starting a timer for each read.
    const results = new LRUCache<string, CachedResult>({ max: maxEntries, ttl: ttlMs, ttlResolution: 0, ...clock })
    const running = new Map<string, Promise<CachedResult | undefined>>()

    const shared = async (key: string, outcome: Promise<ToolOutcome>): Promise<CachedResult | undefined> => {
      // After a rejection, waiting calls execute the tool themselves.
      const result = await outcome.then(cachedResult, () => undefined)
      if (result !== undefined) results.set(key, result)
      running.delete(key)
      return result
    }

    return async (request) => {
      const key = isCacheable(request.tool) ? await keyOf(request, audience) : undefined
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

function isCacheable({ annotations, updates, confirmation }: AgentToolSpec): boolean {
  return annotations.readOnly === true && updates === undefined && confirmation === undefined
}

/**
 * Callers that share cached results. `session`: calls of the same session (or run, without a session), agent and
 * labels; calls without both are not cached. `everyone`: all callers, for results that do not depend on the caller.
 */
export type CacheAudience = 'session' | 'everyone'

/**
 * Returns the same text for calls of a tool that share a result: with equal payloads, equal values of server-owned fields and
 * the same audience. `undefined` for calls that share none, and for invalid arguments.
 */
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

/** Private copy of the cached part of a completed call. */
type CachedResult = Pick<Extract<ToolOutcome, { status: 'completed' }>, 'result' | 'json'>

/** Returns the part of an outcome to cache; `undefined` for failures, stops of the run and results that cannot be copied. */
function cachedResult(outcome: ToolOutcome): CachedResult | undefined {
  if (outcome.status !== 'completed' || outcome.stop !== undefined) return undefined
  const { result, json } = outcome
  try {
    return { result: structuredClone(result), json }
  } catch {
    // The result of a hand-written tool may contain functions, for example.
    return undefined
  }
}

/** Returns the outcome of another call with a cached result: its own reference and cost, its own copy of the data. */
function cachedOutcome({ result, json }: CachedResult, request: ToolRequest, now: number): ToolOutcome {
  const { model, service, extra } = result.provenance
  const provenance: Provenance = {
    tool: request.call.tool,
    durationMs: Math.max(0, now - request.startedAt),
    attempts: request.meta.attempt - 1,
    ...(model !== undefined && { model }),
    ...(service !== undefined && { service }),
    extra: { ...structuredClone(extra), cache: 'hit' },
  }
  const data = structuredClone(result.data)
  return { call: request.call, provenance, status: 'completed', result: { data, provenance }, json }
}
