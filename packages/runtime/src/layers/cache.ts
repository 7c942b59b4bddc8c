import { LRUCache } from 'lru-cache'
import { metaValue } from '../call/call-context.js'
import { equalityKey } from '../schema/json-values.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { Provenance, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, ToolCallMeta } from '../types/tool.js'
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

/** Returns the value of a promise, or `undefined` if the signal is aborted first. */
function orAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve(undefined)
    signal.addEventListener('abort', stop)
    promise.finally(() => signal.removeEventListener('abort', stop)).then(resolve, reject)
  })
}

/**
 * Callers that share cached results. `session`: calls of the same session (or run, without a session), agent and
 * labels; calls without both are not cached. `everyone`: all callers, for results that do not depend on the caller.
 */
export type CacheAudience = 'session' | 'everyone'

/**
 * The text that two calls of a tool share exactly when one may be given the other's answer: the payload, what fills the
 * server-owned fields, and the audience. `undefined` where no other call may be given it.
 */
function cacheKey(
  tool: AgentToolSpec,
  payload: unknown,
  meta: ToolCallMeta,
  audience: CacheAudience,
): string | undefined {
  const owned = tool.serverOwned.map(({ from }) => metaValue(meta, from) ?? null)
  if (audience === 'everyone') return JSON.stringify([equalityKey(payload), owned])
  const { sessionId, runId, agent = null, labels } = meta
  if (sessionId === undefined && runId === undefined) return undefined
  const asker = sessionId === undefined ? ['run', runId] : ['session', sessionId]
  return JSON.stringify([equalityKey(payload), owned, asker, agent, equalityKey(labels)])
}

/** A completed call. */
type Completed = Extract<ToolOutcome, { status: 'completed' }>

/** Private copy of the cached part of a completed call. */
type Kept = Pick<Completed, 'result' | 'json'>

/**
 * Returns the part of an outcome to cache, or `undefined` for failures, stops of the run and results that cannot be
 * copied.
 */
function kept(outcome: ToolOutcome): Kept | undefined {
  if (outcome.status !== 'completed' || outcome.stop !== undefined) return undefined
  const { result, json } = outcome
  try {
    return { result: structuredClone(result), json }
  } catch {
    // A hand-written tool may answer with what cannot be copied, such as functions.
    return undefined
  }
}

/** The outcome of another call with the same answer: its own reference and cost, its own copy of the data. */
function cachedOutcome({ result, json }: Kept, request: ToolRequest, now: number): ToolOutcome {
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
