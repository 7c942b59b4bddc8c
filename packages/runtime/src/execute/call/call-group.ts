/** Something under way that can be told to end: a call, or a run. */
export interface Ending {
  abort(reason: unknown): void
}

/** What can be aborted together: all that a runtime runs, or the calls of one step. */
export class CallGroup {
  readonly #members = new Set<Ending>()
  #aborted: { readonly reason: unknown } | undefined = undefined
  #whenEmpty: (() => void)[] = []

  /** What enters an aborted group is aborted at once. */
  enter(member: Ending): void {
    this.#members.add(member)
    if (this.#aborted !== undefined) member.abort(this.#aborted.reason)
  }

  /** It has ended. */
  leave(member: Ending): void {
    this.#members.delete(member)
    if (this.#members.size === 0 && this.#whenEmpty.length > 0) for (const empty of this.#whenEmpty.splice(0)) empty()
  }

  /** Aborts all that have not ended, and those that enter later. The first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    for (const member of [...this.#members]) member.abort(reason)
  }

  /** Resolves when all that entered have ended. */
  empty(): Promise<void> {
    if (this.#members.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenEmpty.push(resolve)
    })
  }
}
