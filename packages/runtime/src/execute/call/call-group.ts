import type { RunningCall } from '../tool/running-call.js'

/** Calls that can be aborted together: those of a runtime, or of one step of a run. */
export class CallGroup {
  readonly #calls = new Set<RunningCall>()
  #aborted: { readonly reason: unknown } | undefined
  #whenEmpty: (() => void)[] = []

  /**
   * A call that enters an aborted group is aborted at once.
   *
   * @returns to be called when the call has ended
   */
  enter(call: RunningCall): () => void {
    this.#calls.add(call)
    if (this.#aborted !== undefined) call.abort(this.#aborted.reason)
    return () => {
      this.#calls.delete(call)
      if (this.#calls.size === 0) for (const empty of this.#whenEmpty.splice(0)) empty()
    }
  }

  /** Aborts all calls that have not ended, and those that enter later. The first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    for (const call of [...this.#calls]) call.abort(reason)
  }

  /** Resolves when all calls that entered have ended. */
  empty(): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenEmpty.push(resolve)
    })
  }
}
