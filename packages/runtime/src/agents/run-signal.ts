import { type AbortListeners, CallGroup } from '../call/call-group.js'
import { type Abortable, AbortableSignal, type AbortTarget, after } from '../call/timers.js'

/** Only the first abort sets the reason. */
export class RunSignal implements Abortable {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  #isAborted = false
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
    this.signal = this.#controller.signal
    if (caller?.aborted) this.abort(caller.reason)
    this.#stopListening = caller && listeners.add(caller, () => this.abort(caller.reason))
    this.#stopTimer = timeBudgetMs === undefined ? undefined : startTimer(timeBudgetMs, () => this.#expire())
  }

  get isTimedOut(): boolean {
    return this.#timeout !== undefined && this.signal.reason === this.#timeout
  }

  get aborted(): Abortable['aborted'] {
    return this.#isAborted ? { reason: this.signal.reason } : undefined
  }

  abort(reason: unknown): void {
    if (this.#isAborted) return
    this.#isAborted = true
    this.#controller.abort(reason)
    this.#listeners.abort(this.signal.reason)
  }

  /** Each step and call of a run uses this method, because a listener of {@link signal} is slower. */
  whenAborted(target: AbortTarget): (() => void) | undefined {
    if (this.#isAborted) return undefined
    const membership = this.#listeners.enter(target)
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
