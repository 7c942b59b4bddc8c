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
