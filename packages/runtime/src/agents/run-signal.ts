import type { AbortListeners } from '../call/call-group.js'
import { after } from '../call/timers.js'

/**
 * Abort signal of one run. The signal is aborted by the caller's signal, at the end of the time budget, or by the method `abort`. Only the first
 * abort sets the reason.
 */
export class RunSignal {
  readonly #controller = new AbortController()
  readonly #stopListening: (() => void) | undefined
  readonly #stopTimer: (() => void) | undefined
  #timeout: DOMException | undefined

  /**
   * @param timeBudgetMs remaining time in milliseconds; negative if a resumed run has no time left; `undefined` for no limit
   * @param startTimer starts the timer of the time budget. Default: a timer of the process
   */
  constructor(
    caller: AbortSignal | undefined,
    timeBudgetMs: number | undefined,
    listeners: AbortListeners,
    startTimer: (delayMs: number, action: () => void) => () => void = after,
  ) {
    if (caller?.aborted) this.abort(caller.reason)
    this.#stopListening = caller && listeners.add(caller, () => this.abort(caller.reason))
    this.#stopTimer = timeBudgetMs === undefined ? undefined : startTimer(timeBudgetMs, () => this.#expire())
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

  /** Removes the listener from the caller's signal, and stops the timer of the time budget. */
  release(): void {
    this.#stopListening?.()
    this.#stopTimer?.()
  }

  #expire(): void {
    this.#timeout = new DOMException('The time budget of the run is used up.', 'TimeoutError')
    this.abort(this.#timeout)
  }
}
