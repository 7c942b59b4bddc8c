import type { Effects, IdKind } from '../types/call-options.js'

/** The longest delay that a timer takes; a longer one fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/**
 * Does something after a time, however long.
 *
 * @param delayMs in milliseconds; at once where it is not positive, never where it is infinite
 * @param keepsAlive whether the process waits for it; default true
 * @returns takes that back
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
  if (!keepsAlive) unref(timer)
  stop = () => clearTimeout(timer)
  return () => stop()
}

/** Lets the process end while the timer runs. In browsers, timers are numbers. */
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref()
}

/**
 * Waits, unless a signal is aborted first.
 *
 * @returns whether the whole time has passed
 */
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
 * Takes `Infinity` for no limit.
 *
 * @throws {RangeError} where an option is no time in milliseconds that something may take.
 */
export function requireTimeLimit(option: string, milliseconds: number | undefined): void {
  if (milliseconds === undefined || milliseconds > 0) return
  throw new RangeError(`${option} is ${milliseconds}, give milliseconds above 0, or Infinity for no limit`)
}

/** Maximum time for one side of the event loop, in milliseconds. */
const SLICE_MS = 10

/**
 * Gives way to timers and signals from time to time, for loops that wait for nothing but promises that are resolved
 * already: those would keep the event loop for ever.
 */
export class TimeSlice {
  #began = performance.now()

  /** Resolves when the event loop has turned; `undefined` as long as there is time left. */
  turn(): Promise<void> | undefined {
    if (performance.now() - this.#began < SLICE_MS) return undefined
    return eventLoopTurn().then(() => {
      this.#began = performance.now()
    })
  }
}

/** Not a timer, of which the shortest takes a millisecond. */
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

/** Waits for work. Rejects with the reason of the signal when work has not ended `graceMs` after an abort. */
export function untilAborted<Value>(
  signal: AbortSignal,
  work: () => Promise<Value>,
  graceMs: number = 0,
): Promise<Value> {
  if (signal.aborted && graceMs === 0) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    let stopTimer: (() => void) | undefined
    const abort = (): void => {
      stopTimer = after(graceMs, () => reject(signal.reason))
    }
    // Not by `finally`, which makes two more promises.
    const release = (): void => {
      stopTimer?.()
      signal.removeEventListener('abort', abort)
    }
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort)
    work().then(
      (value) => {
        release()
        resolve(value)
      },
      (error) => {
        release()
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
