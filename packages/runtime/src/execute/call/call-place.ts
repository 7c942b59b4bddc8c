import type { Ended, RunningCall } from '../tool/running-call.js'
import type { Membership } from './call-group.js'
import type { CountedCalls, RunFrame } from './call-target.js'

/**
 * The place of a call under way: among those of its runtime, or among those of its step and of its run, which is one of
 * its runtime for all of them.
 */
export class CallPlace implements Ended {
  readonly #calls: CountedCalls
  readonly #open: RunFrame['open'] | undefined
  readonly #membership: Membership
  readonly #release: (() => void) | undefined

  /** @param release done when the call has its outcome */
  constructor(running: RunningCall, calls: CountedCalls, open: RunFrame['open'] | undefined, release?: () => void) {
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
