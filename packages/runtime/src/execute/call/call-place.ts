import type { Ended, RunningCall } from '../tool/running-call.js'
import type { Ending, Membership } from './call-group.js'
import type { RunFrame } from './call-target.js'

/** Where calls are counted: all that a runtime runs, or those of a step. */
interface Calls {
  enter(running: Ending): Membership
  leave(membership: Membership): void
}

/**
 * The place of a call under way: among those of its runtime, or among those of its step and of its run, which is one of
 * its runtime for all of them.
 */
export class CallPlace implements Ended {
  readonly #calls: Calls
  readonly #open: RunFrame['open'] | undefined
  readonly #membership: Membership
  readonly #release: (() => void) | undefined

  /** @param release done when the call has its outcome */
  constructor(running: RunningCall, calls: Calls, open: RunFrame['open'] | undefined, release?: () => void) {
    this.#calls = calls
    this.#open = open
    this.#membership = calls.enter(running)
    this.#release = release
    open?.begin()
  }

  ended(): void {
    this.#calls.leave(this.#membership)
    this.#open?.end()
    this.#release?.()
  }
}
