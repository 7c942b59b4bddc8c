import type { RunSignal } from './run-signal.js'

/** The calls of a run that have no outcome yet. A layer may end a run while they go on. */
export class RunCalls {
  readonly #signal: Pick<RunSignal, 'abort'>
  #open = 0
  #ended = false
  #whenEmpty: (() => void) | undefined = undefined

  constructor(signal: Pick<RunSignal, 'abort'>) {
    this.#signal = signal
  }

  /** A call begins. */
  begin(): void {
    this.#open += 1
  }

  /** A call has its outcome. */
  end(): void {
    this.#open -= 1
    if (this.#open === 0) this.#whenEmpty?.()
  }

  /** @throws {TypeError} when the run has ended: a layer called next too late. */
  requireOpen(): void {
    if (this.#ended) throw new TypeError('a layer called next after its run had ended')
  }

  /** The run ends: calls that go on are cancelled and waited for. */
  async close(): Promise<void> {
    this.#ended = true
    if (this.#open === 0) return
    this.#signal.abort(new DOMException('the run has ended', 'AbortError'))
    await new Promise<void>((resolve) => {
      this.#whenEmpty = resolve
    })
  }
}
