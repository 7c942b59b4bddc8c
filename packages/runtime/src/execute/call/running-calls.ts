import { after } from '../../time/long-timer.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { CallGroup, type Ending, type Membership } from './call-group.js'

/** The calls and runs of a runtime that have not ended. */
export class RunningCalls {
  readonly #group = new CallGroup()
  #closed = false

  /** Whether new calls and runs are refused. */
  get closed(): boolean {
    return this.#closed
  }

  /** What a call or run is told that comes too late. */
  refusal(): ToolFailure {
    return new ToolFailure('The runtime is closed and takes no more calls.', { reason: 'cancelled' })
  }

  /**
   * A call or a run begins.
   *
   * @returns what `leave` takes
   */
  enter(running: Ending): Membership {
    return this.#group.enter(running)
  }

  /** A call or a run has ended. */
  leave(running: Membership): void {
    this.#group.leave(running)
  }

  /**
   * Refuses new calls and runs, waits for those under way, and cancels what is left after the time.
   *
   * @param drainMs in milliseconds
   */
  async close(drainMs: number): Promise<void> {
    this.#closed = true
    const stopTimer = after(drainMs, () => this.#group.abort(new DOMException('the runtime was closed', 'AbortError')))
    await this.#group.empty()
    stopTimer()
  }
}
