import type { Effects, IdKind } from '../types/call-options.js'

/** With a longer delay, `setTimeout` would fire immediately. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** @param keepsAlive false if the process may exit before the end of the delay */
export function after(delayMs: number, action: () => void, keepsAlive = true): () => void {
  if (delayMs <= 0) {
    action()
    return () => undefined
  }
  if (delayMs === Number.POSITIVE_INFINITY) return () => undefined
  const slice = Math.min(delayMs, LONGEST_TIMER_MS)
  let stop: () => void
  const timer = setTimeout(() => {
    if (slice < delayMs) stop = after(delayMs - slice, action, keepsAlive)
    else action()
  }, slice)
  // In browsers, timers are numbers without `unref`.
  if (!keepsAlive) Object(timer).unref?.()
  stop = () => clearTimeout(timer)
  return () => stop()
}

export function sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  if (milliseconds <= 0) return Promise.resolve(true)
  return new Promise((resolve) => {
    const stop = (): void => {
      stopTimer()
      resolve(false)
    }
    const stopTimer = after(milliseconds, () => {
      signal.removeEventListener('abort', stop)
      resolve(true)
    })
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Returns the delay after a number of consecutive failures. The first failure has the delay `firstMs`, and each further failure doubles the delay. */
export function doublingDelay(failures: number, firstMs: number, longestMs: number): number {
  return Math.min(firstMs * 2 ** Math.max(0, failures - 1), longestMs)
}

/** A connection that was lost within this time does not count as stable. */
const STABLE_MS = 10_000

/**
 * Delays before the attempts to open a lost connection again. The delay doubles with each attempt. After a stable connection, the delays start again,
 * so that a connection that is opened and lost in quick succession is also opened less and less often.
 */
export class ReconnectDelays {
  readonly #firstMs: number
  readonly #longestMs: number
  #nextMs: number
  #attemptAt = Number.NEGATIVE_INFINITY

  constructor(firstMs: number, longestMs: number) {
    this.#firstMs = firstMs
    this.#longestMs = longestMs
    this.#nextMs = firstMs
  }

  /** Returns the delay before the next attempt. Must be called when the connection was lost, or when the last attempt has failed. */
  next(): number {
    const now = performance.now()
    const delayMs = now - this.#attemptAt > STABLE_MS ? this.#firstMs : this.#nextMs
    this.#nextMs = Math.min(2 * delayMs, this.#longestMs)
    this.#attemptAt = now + delayMs
    return delayMs
  }
}

export function requireTimeLimit(option: string, milliseconds: number | undefined): void {
  if (milliseconds === undefined || (typeof milliseconds === 'number' && milliseconds > 0)) return
  throw new RangeError(
    `${option} is ${typeof milliseconds === 'number' ? milliseconds : JSON.stringify(milliseconds)}. Expected a positive number of milliseconds, or Infinity for no limit.`,
  )
}

const SLICE_MS = 10

/** Without this class, code that awaits only resolved promises would block timers and signals. */
export class TimeSlice {
  #startedAt = performance.now()

  turn(): Promise<void> | undefined {
    if (performance.now() - this.#startedAt < SLICE_MS) return undefined
    return eventLoopTurn().then(() => {
      this.#startedAt = performance.now()
    })
  }
}

/** A message is faster than a timer, which needs at least one millisecond. */
function eventLoopTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel()
  return new Promise((resolve) => {
    port1.addEventListener('message', () => {
      port1.close()
      resolve()
    })
    port1.start()
    port2.postMessage(undefined)
  })
}

export interface AbortTarget {
  abort(reason: unknown): void
}

export interface Abortable {
  readonly aborted: { readonly reason: unknown } | undefined
  /**
   * Does nothing if the object is already aborted.
   *
   * @returns a function that removes the target; `undefined` if the caller need not remove the target
   */
  whenAborted(target: AbortTarget): (() => void) | undefined
}

export class AbortableSignal implements Abortable {
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  get aborted(): Abortable['aborted'] {
    return this.#signal.aborted ? { reason: this.#signal.reason } : undefined
  }

  whenAborted(target: AbortTarget): () => void {
    const listener = (): void => target.abort(this.#signal.reason)
    this.#signal.addEventListener('abort', listener)
    return () => this.#signal.removeEventListener('abort', listener)
  }
}

/**
 * @param graceMs time in which `work` can still end after an abort
 * @param recover returns a value in place of a rejection
 */
export function untilAborted<Value>(
  limit: Abortable | AbortSignal,
  work: () => Value | PromiseLike<Value>,
  graceMs: number = 0,
  recover?: (error: unknown) => Promise<Value>,
): Promise<Value> {
  const abortable = limit instanceof AbortSignal ? new AbortableSignal(limit) : limit
  const { aborted } = abortable
  if (aborted !== undefined && graceMs === 0) return recover?.(aborted.reason) ?? Promise.reject(aborted.reason)
  return new Promise((resolve, reject) => {
    new Race(resolve, reject, graceMs, recover).start(abortable, work)
  })
}

/** A class instead of closures, because each call and each request to a planner is a race. */
class Race<Value> implements AbortTarget {
  readonly #resolve: (value: Value | PromiseLike<Value>) => void
  readonly #reject: (error: unknown) => void
  readonly #graceMs: number
  readonly #recover: ((error: unknown) => Promise<Value>) | undefined
  #isOver = false
  #stopTimer: (() => void) | undefined = undefined
  #release: (() => void) | undefined = undefined

  constructor(
    resolve: (value: Value | PromiseLike<Value>) => void,
    reject: (error: unknown) => void,
    graceMs: number,
    recover: ((error: unknown) => Promise<Value>) | undefined,
  ) {
    this.#resolve = resolve
    this.#reject = reject
    this.#graceMs = graceMs
    this.#recover = recover
  }

  start(limit: Abortable, work: () => Value | PromiseLike<Value>): void {
    const { aborted } = limit
    if (aborted !== undefined) this.abort(aborted.reason)
    this.#release = limit.whenAborted(this)
    try {
      Promise.resolve(work()).then(
        (value) => {
          if (this.#end()) this.#resolve(value)
        },
        (error) => this.#fail(error),
      )
    } catch (error) {
      this.#fail(error)
    }
  }

  abort(reason: unknown): void {
    this.#stopTimer = after(this.#graceMs, () => this.#fail(reason))
  }

  #fail(error: unknown): void {
    if (!this.#end()) return
    if (this.#recover === undefined) this.#reject(error)
    else this.#resolve(this.#recover(error))
  }

  /** Returns false if the race is already over. Work that ends after the abort must not release its target again. */
  #end(): boolean {
    if (this.#isOver) return false
    this.#isOver = true
    this.#stopTimer?.()
    this.#release?.()
    return true
  }
}

const ID_PREFIXES: Readonly<Record<IdKind, string>> = {
  toolCall: 'call',
  run: 'run',
  suspension: 'suspension',
  session: 'session',
}

export function systemEffects(): Effects {
  const runtime = crypto.randomUUID().replaceAll('-', '').slice(0, 16)
  let count = 0
  return Object.freeze({
    now: () => Date.now(),
    newId: (kind: IdKind) => {
      count += 1
      return `${ID_PREFIXES[kind]}_${runtime}_${count}`
    },
  })
}
