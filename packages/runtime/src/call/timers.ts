import type { Effects, IdKind } from '../types/call-options.js'

/** The longest delay that a timer takes; a longer one fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/**
 * Calls a function after a time of any length: at once if it is not positive, never if it is infinite.
 *
 * @param keepsAlive default true: the process waits for it
 * @returns a function that cancels it
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
  // In browsers, timers are numbers.
  if (!keepsAlive) Object(timer).unref?.()
  stop = () => clearTimeout(timer)
  return () => stop()
}

/** Waits, unless a signal is aborted first. Returns true if the whole time has passed. */
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

/** @throws {RangeError} for an option that is neither a positive time in milliseconds nor `Infinity` for no limit. */
export function requireTimeLimit(option: string, milliseconds: number | undefined): void {
  if (milliseconds === undefined || milliseconds > 0) return
  throw new RangeError(`${option} is ${milliseconds}, give milliseconds above 0, or Infinity for no limit`)
}

/** Maximum time for one side of the event loop, in milliseconds. */
const SLICE_MS = 10

/** Lets timers and signals run from time to time, for loops that only wait for resolved promises and would block them. */
export class TimeSlice {
  #startedAt = performance.now()

  /** Resolves after a turn of the event loop; `undefined` as long as there is time left. */
  turn(): Promise<void> | undefined {
    if (performance.now() - this.#startedAt < SLICE_MS) return undefined
    return eventLoopTurn().then(() => {
      this.#startedAt = performance.now()
    })
  }
}

/** Resolves after a turn of the event loop. A timer would take at least a millisecond. */
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

/** Something that is aborted at most once. */
export interface Abortable {
  /** The reason of the abort; `undefined` before. */
  readonly aborted: { readonly reason: unknown } | undefined
  /**
   * Runs `action` on abort; never if it is aborted already.
   *
   * @returns removes the action, where what may be aborted outlives the call
   */
  whenAborted(action: (reason: unknown) => void): (() => void) | undefined
}

/** A signal as something that is aborted. */
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

/** Waits for work. Rejects with the reason of an abort when the work has not ended `graceMs` after it. */
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

/** Returns the system clock, and ids that consist of 64 random bits of this runtime and a number. */
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
