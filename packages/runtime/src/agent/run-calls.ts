import type { ToolOutcome } from '../contract/outcome.js'
import type { RunSignal } from './run-signal.js'

/** The calls of a run that have no outcome yet. A layer may end a run while they go on. */
export class RunCalls {
  readonly #signal: Pick<RunSignal, 'abort'>
  readonly #calls = new Set<Promise<ToolOutcome>>()
  #ended = false

  constructor(signal: Pick<RunSignal, 'abort'>) {
    this.#signal = signal
  }

  /** A call begins. */
  add(call: Promise<ToolOutcome>): Promise<ToolOutcome> {
    this.#calls.add(call)
    const leave = (): void => {
      this.#calls.delete(call)
    }
    call.then(leave, leave)
    return call
  }

  /** @throws {TypeError} when the run has ended: a layer called next too late. */
  requireOpen(): void {
    if (this.#ended) throw new TypeError('a layer called next after its run had ended')
  }

  /** The run ends: calls that go on are cancelled and waited for. */
  async end(): Promise<void> {
    this.#ended = true
    if (this.#calls.size === 0) return
    this.#signal.abort(new DOMException('the run has ended', 'AbortError'))
    await Promise.allSettled([...this.#calls])
  }
}
