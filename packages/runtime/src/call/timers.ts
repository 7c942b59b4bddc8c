import type { Effects, IdKind } from '../types/call-options.js'

/** The longest delay that `setTimeout` accepts. With a longer delay, the timer would fire at once. */
export const LONGEST_TIMER_MS = 2_147_483_647

/**
 * Calls a function after a delay of any length: at once if the delay is not positive, never if it is infinite.
 *
 * @param keepsAlive false if the process may exit before the delay has passed; default: true
 * @returns a function that cancels the timer
 */
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

/** Waits until the time has passed or the signal is aborted. Resolves with true if the whole time has passed. */
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

/**
 * Validates a time limit.
 *
 * @throws {RangeError} unless the option is `undefined`, a positive time in milliseconds, or `Infinity` for no limit.
 */
export function requireTimeLimit(option: string, milliseconds: number | undefined): void {
  if (milliseconds === undefined || (typeof milliseconds === 'number' && milliseconds > 0)) return
  throw new RangeError(
    `${option} is ${typeof milliseconds === 'number' ? milliseconds : JSON.stringify(milliseconds)}. Expected a positive number of milliseconds, or Infinity for no limit.`,
  )
}

/** Maximum time in milliseconds in which code may run without returning to the event loop. */
const SLICE_MS = 10

/** Lets the event loop run regularly. Code that awaits only resolved promises would block timers and signals. */
export class TimeSlice {
  #startedAt = performance.now()

  /** Resolves after a turn of the event loop; `undefined` if the time slice is not used up. */
  turn(): Promise<void> | undefined {
    if (performance.now() - this.#startedAt < SLICE_MS) return undefined
    return eventLoopTurn().then(() => {
      this.#startedAt = performance.now()
    })
  }
}

/** Resolves after a turn of the event loop. Faster than a timer, which takes at least a millisecond. */
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

/** Object that can be aborted once, such as a call. */
export interface Abortable {
  /** The reason of the abort; `undefined` before an abort. */
  readonly aborted: { readonly reason: unknown } | undefined
  /**
   * Runs `action` when the abort happens. Does nothing if the abort has already happened.
   *
   * @returns a function that removes the action; `undefined` if removing the action is not necessary
   */
  whenAborted(action: (reason: unknown) => void): (() => void) | undefined
}

/** An `AbortSignal` with the interface `Abortable`. */
export class AbortableSignal implements Abortable {
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  get aborted(): Abortable['aborted'] {
    return this.#signal.aborted ? { reason: this.#signal.reason } : undefined
  }

  whenAborted(action: (reason: unknown) => void): () => void {
    const listener = (): void => action(this.#signal.reason)
    this.#signal.addEventListener('abort', listener)
    return () => this.#signal.removeEventListener('abort', listener)
  }
}

/** Waits for `work`. After an abort, rejects with the reason of the abort if `work` does not end within `graceMs` milliseconds. */
export function untilAborted<Value>(
  limit: Abortable | AbortSignal,
  work: () => Promise<Value>,
  graceMs: number = 0,
): Promise<Value> {
  const abortable = limit instanceof AbortSignal ? new AbortableSignal(limit) : limit
  const { aborted } = abortable
  if (aborted !== undefined && graceMs === 0) return Promise.reject(aborted.reason)
  return new Promise((resolve, reject) => {
    let stopTimer: (() => void) | undefined
    const abort = (reason: unknown): void => {
      stopTimer = after(graceMs, () => reject(reason))
    }
    if (aborted !== undefined) abort(aborted.reason)
    const release = abortable.whenAborted(abort)
    const end = (): void => {
      stopTimer?.()
      release?.()
    }
    work().then(
      (value) => {
        end()
        resolve(value)
      },
      (error) => {
        end()
        reject(error)
      },
    )
  })
}

const ID_PREFIXES: Readonly<Record<IdKind, string>> = {
  toolCall: 'call',
  run: 'run',
  suspension: 'suspension',
  session: 'session',
}

/** Returns the system clock and a generator of ids. An id consists of a random part, which all ids of the runtime share, and a counter. */
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
