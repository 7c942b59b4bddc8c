/** Something under way that can be told to end: a call, or a run. */
export interface Ending {
  abort(reason: unknown): void
}

/** A member's place in its group; it moves when others leave. */
export interface Membership {
  readonly member: Ending
  index: number
}

/**
 * What can be aborted together: all that a runtime runs, or the calls of one step. An array in which the last member
 * takes the place of one that leaves: a `Set` that is changed all the time keeps the memory of ended calls for long.
 */
export class CallGroup {
  readonly #members: Membership[] = []
  #aborted: { readonly reason: unknown } | undefined = undefined
  #whenEmpty: (() => void)[] = []

  /** Why the group was aborted; `undefined` as long as it was not. */
  get aborted(): { readonly reason: unknown } | undefined {
    return this.#aborted
  }

  /**
   * What enters an aborted group is aborted at once.
   *
   * @returns what `leave` takes
   */
  enter(member: Ending): Membership {
    const membership = { member, index: this.#members.length }
    this.#members.push(membership)
    if (this.#aborted !== undefined) member.abort(this.#aborted.reason)
    return membership
  }

  /** It has ended. */
  leave({ index }: Membership): void {
    const last = this.#members.pop()
    if (last !== undefined && last.index !== index) {
      last.index = index
      this.#members[index] = last
    }
    if (this.#members.length === 0 && this.#whenEmpty.length > 0) for (const empty of this.#whenEmpty.splice(0)) empty()
  }

  /** Aborts all that have not ended, and those that enter later. The first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    for (const { member } of [...this.#members]) member.abort(reason)
  }

  /** Resolves when all that entered have ended. */
  empty(): Promise<void> {
    if (this.#members.length === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenEmpty.push(resolve)
    })
  }
}
