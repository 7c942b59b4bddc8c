import { ToolFailure } from '../call/tool-failure.js'
import type { ToolRequest } from '../types/layer.js'
import type { LimitStore } from '../types/limits.js'
import type { ToolOutcome } from '../types/outcome.js'

export type StoreOptions =
  | { readonly store?: undefined; readonly name?: undefined; readonly whenUnreachable?: undefined }
  | {
      /** Store that several processes share, for example `postgresLimits(query)`. Default: the memory of the process. */
      readonly store: LimitStore
      /**
       * Name under which the store contains the state of the layer. Layers with the same name share one state on all machines. With `per:
       * 'tool'`, the layer appends the id of the tool to the name.
       */
      readonly name: string
      /**
       * Behaviour while the store is unreachable. `reject`: calls fail with the reason `unavailable`, and `retryAfterMs` contains the time until
       * the next request to the store. `local`: each process uses its own state, so that N processes together admit up to N times as many calls.
       * Default: `reject`.
       */
      readonly whenUnreachable?: 'reject' | 'local'
    }

export function requireStore(layer: string, { store, name, whenUnreachable = 'reject' }: StoreOptions): void {
  if (store === undefined) {
    if (name === undefined) return
    throw new TypeError(
      `${layer}: \`name\` is '${name}', but \`store\` is missing. Pass \`store: postgresLimits(query)\`.`,
    )
  }
  if (['take', 'enter', 'report'].some((method) => typeof Reflect.get(Object(store), method) !== 'function')) {
    throw new TypeError(
      `${layer}: \`store\` must have the methods \`take\`, \`enter\` and \`report\`. Pass \`postgresLimits(query)\`.`,
    )
  }
  if (typeof name !== 'string' || name === '') {
    throw new TypeError(`${layer}: a shared store needs a name. Pass \`name: 'payments'\`, the same in all processes.`)
  }
  if (whenUnreachable !== 'reject' && whenUnreachable !== 'local') {
    throw new TypeError(`${layer}: whenUnreachable is '${whenUnreachable}'. Use 'reject' or 'local'.`)
  }
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

export class Unreachable {
  readonly retryAfterMs: number
  readonly cause: unknown

  constructor(retryAfterMs: number, cause: unknown) {
    this.retryAfterMs = Math.max(1, Math.ceil(retryAfterMs))
    this.cause = cause
  }

  outcome(layer: string, request: ToolRequest): Promise<ToolOutcome> {
    const { retryAfterMs, cause } = this
    const message = `The tool is not available, because the store of its ${layer} cannot be reached.`
    return request.fail(new ToolFailure(message, { reason: 'unavailable', action: 'wait', retryAfterMs, cause }))
  }
}

/**
 * After an error of the store, requests stop for a random time, which doubles with each consecutive error. After this pause, only one request tests
 * the store, so that simultaneous requests do not overload the store.
 */
export class StoreAccess {
  readonly #store: LimitStore
  #pauseMs = 0
  #pausedUntil = 0
  #isProbing = false
  #cause: unknown

  private constructor(store: LimitStore) {
    this.#store = store
  }

  /** All layers with the same store share one object, so that an error stops the requests of all these layers. */
  static of(store: LimitStore): StoreAccess {
    const known = accesses.get(store) ?? new StoreAccess(store)
    accesses.set(store, known)
    return known
  }

  async ask<Value>(work: (store: LimitStore) => Promise<Value>): Promise<Value | Unreachable> {
    const startedAt = performance.now()
    const isDown = this.#pauseMs > 0
    if (isDown && (this.#isProbing || startedAt < this.#pausedUntil)) {
      return new Unreachable(Math.max(this.#pausedUntil - startedAt, FIRST_PAUSE_MS), this.#cause)
    }
    this.#isProbing = isDown
    try {
      const value = await work(this.#store)
      this.#pauseMs = 0
      return value
    } catch (error) {
      // Errors of calls that started before the pause say nothing new.
      if (isDown || this.#pauseMs === 0) this.#pause(error)
      return new Unreachable(this.#pausedUntil - performance.now(), error)
    } finally {
      if (isDown) this.#isProbing = false
    }
  }

  #pause(cause: unknown): void {
    this.#cause = cause
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(FIRST_PAUSE_MS, 2 * this.#pauseMs))
    this.#pausedUntil = performance.now() + this.#pauseMs * (0.5 + Math.random() / 2)
  }
}

const accesses = new WeakMap<LimitStore, StoreAccess>()

/** `work` must never reject, and continues after an abort. */
export function unlessAborted<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const abort = (): void => resolve(undefined)
    signal.addEventListener('abort', abort)
    work()
      .finally(() => signal.removeEventListener('abort', abort))
      .then(resolve)
  })
}
