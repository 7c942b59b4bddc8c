import { type AbortListeners, CallGroup } from '../call/call-group.js'
import { type Abortable, AbortableSignal, after } from '../call/timers.js'

/** Only the first abort sets the reason. */
export class RunSignal implements Abortable {
  readonly #controller = new AbortController()
  readonly #listeners = new CallGroup()
  readonly #stopListening: (() => void) | undefined
  readonly #stopTimer: (() => void) | undefined
  #timeout: DOMException | undefined

  /** @param timeBudgetMs negative if a resumed run has no time left */
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

  get isTimedOut(): boolean {
    return this.#timeout !== undefined && this.signal.reason === this.#timeout
  }

  get aborted(): Abortable['aborted'] {
    return this.signal.aborted ? { reason: this.signal.reason } : undefined
  }

  abort(reason: unknown): void {
    if (this.signal.aborted) return
    this.#controller.abort(reason)
    this.#listeners.abort(this.signal.reason)
  }

  /** Each step and call of a run uses this method, because a listener of {@link signal} is slower. */
  whenAborted(action: (reason: unknown) => void): (() => void) | undefined {
    if (this.signal.aborted) return undefined
    const membership = this.#listeners.enter({ abort: action })
    return () => this.#listeners.leave(membership)
  }

  abortableOf(signal: AbortSignal): Abortable {
    return signal === this.signal ? this : new AbortableSignal(signal)
  }

  release(): void {
    this.#stopListening?.()
    this.#stopTimer?.()
  }

  #expire(): void {
    this.#timeout = new DOMException('The time budget of the run is used up.', 'TimeoutError')
    this.abort(this.#timeout)
  }
}
