import type { AbortListeners } from '../call/call-group.js'
import { after } from '../call/timers.js'

/** The signal of one run: aborted by the caller's signal, by the time budget, or by `abort`. The first reason counts. */
export class RunSignal {
  readonly #controller = new AbortController()
  readonly #stopListening: (() => void) | undefined
  readonly #stopTimer: (() => void) | undefined
  #timeout: DOMException | undefined

  /** @param timeBudgetMs negative for a resumed run that has no time left; absent: no limit */
  constructor(caller: AbortSignal | undefined, timeBudgetMs: number | undefined, listeners: AbortListeners) {
    if (caller?.aborted) this.abort(caller.reason)
    this.#stopListening = caller && listeners.add(caller, () => this.abort(caller.reason))
    this.#stopTimer = timeBudgetMs === undefined ? undefined : after(timeBudgetMs, () => this.#expire())
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Returns `true` if the time budget ended the run. */
  get isTimedOut(): boolean {
    return this.#timeout !== undefined && this.signal.reason === this.#timeout
  }

  abort(reason: unknown): void {
    this.#controller.abort(reason)
  }

  /** Releases the caller's signal and the timer. */
  release(): void {
    this.#stopListening?.()
    this.#stopTimer?.()
  }

  #expire(): void {
    this.#timeout = new DOMException('the time budget of the run is used up', 'TimeoutError')
    this.abort(this.#timeout)
  }
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
