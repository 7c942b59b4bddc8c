import { ToolFailure } from '../failure/tool-failure.js'
import type { RunningCall } from '../tool/running-call.js'
import { CallGroup } from './call-group.js'

/** The calls of a runtime that have no outcome yet. */
export class RunningCalls {
  readonly #group = new CallGroup()
  #closed = false

  /** Whether new calls are refused. */
  get closed(): boolean {
    return this.#closed
  }

  /** What a call is told that comes too late. */
  refusal(): ToolFailure {
    return new ToolFailure('The runtime is closed and takes no more calls.', { reason: 'cancelled' })
  }

  /** @returns to be called when the call has ended */
  enter(call: RunningCall): () => void {
    return this.#group.enter(call)
  }

  /**
   * Refuses new calls, waits for those under way, and cancels what is left after the time.
   *
   * @param drainMs in milliseconds
   */
  async close(drainMs: number): Promise<void> {
    this.#closed = true
    const timer = setTimeout(() => {
      this.#group.abort(new DOMException('the runtime was closed', 'AbortError'))
    }, drainMs)
    await this.#group.empty()
    clearTimeout(timer)
  }
}
