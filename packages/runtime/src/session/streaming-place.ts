import type { Ending, Membership } from '../execute/call/call-group.js'
import type { CallContext, CountedCalls, RunFrame } from '../execute/call/call-target.js'

/** The place of a call that begins among those of a run's step and goes on without the run, among those of the runtime. */
export class StreamingPlace implements CountedCalls {
  readonly #frame: Pick<RunFrame, 'calls' | 'open'>
  readonly #runtime: CountedCalls
  #ofStep: Membership | undefined = undefined

  constructor(frame: Pick<RunFrame, 'calls' | 'open'>, { calls }: CallContext) {
    this.#frame = frame
    this.#runtime = calls
  }

  enter(running: Ending): Membership {
    this.#ofStep = this.#frame.calls.enter(running)
    this.#frame.open?.begin()
    return this.#runtime.enter(running)
  }

  leave(membership: Membership): void {
    this.#runtime.leave(membership)
    this.letGo()
  }

  /** From now on neither the step nor the run waits for the call or ends it. */
  letGo(): void {
    if (this.#ofStep === undefined) return
    this.#frame.calls.leave(this.#ofStep)
    this.#frame.open?.end()
    this.#ofStep = undefined
  }
}
