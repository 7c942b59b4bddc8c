import type { Failure } from './failure.js'
import { type AbortTarget, after } from './timers.js'
import { FIXED_MESSAGES, peek, ToolFailure } from './tool-failure.js'

export function abortFailure(abortReason: unknown): Failure {
  const isTimeout = peek(abortReason, 'name') === 'TimeoutError'
  const isSuperseded = peek(abortReason, 'name') === 'SessionError' && peek(abortReason, 'code') === 'superseded'
  const reason = isTimeout ? 'timeout' : isSuperseded ? 'interrupted' : 'cancelled'
  return { reason, message: FIXED_MESSAGES[reason] }
}

export interface Membership {
  readonly member: AbortTarget
  previous: Membership | undefined
  next: Membership | undefined
}

const NO_ACTIONS: readonly never[] = Object.freeze([])

export type CallTracker = Pick<CallGroup, 'enter' | 'leave'>

/** A linked list, because a `Set` would keep the memory of ended calls for a long time, and an array reserves memory for many members. */
export class CallGroup {
  #first: Membership | undefined = undefined
  #last: Membership | undefined = undefined
  #aborted: { readonly reason: unknown } | undefined = undefined
  #whenEmpty: readonly (() => void)[] = NO_ACTIONS

  get aborted(): { readonly reason: unknown } | undefined {
    return this.#aborted
  }

  get isEmpty(): boolean {
    return this.#first === undefined
  }

  enter(member: AbortTarget): Membership {
    const membership: Membership = { member, previous: this.#last, next: undefined }
    if (this.#last === undefined) this.#first = membership
    else this.#last.next = membership
    this.#last = membership
    if (this.#aborted !== undefined) member.abort(this.#aborted.reason)
    return membership
  }

  leave({ previous, next }: Membership): void {
    if (previous === undefined) this.#first = next
    else previous.next = next
    if (next === undefined) this.#last = previous
    else next.previous = previous
    if (this.#first !== undefined || this.#whenEmpty.length === 0) return
    const actions = this.#whenEmpty
    this.#whenEmpty = NO_ACTIONS
    for (const action of actions) action()
  }

  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    // Copied, because members can leave when they are aborted.
    const members: AbortTarget[] = []
    for (let each = this.#first; each !== undefined; each = each.next) members.push(each.member)
    for (const member of members) member.abort(reason)
  }

  empty(): Promise<void> {
    if (this.isEmpty) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenEmpty = [...this.#whenEmpty, resolve]
    })
  }
}

export class RunningCalls extends CallGroup {
  #closed = false

  get closed(): boolean {
    return this.#closed
  }

  refusal(): ToolFailure {
    return new ToolFailure('The runtime is closed and accepts no more calls.', { reason: 'cancelled' })
  }

  async close(drainMs: number): Promise<void> {
    this.#closed = true
    const stopTimer = after(drainMs, () => this.abort(new DOMException('The runtime was closed.', 'AbortError')))
    await this.empty()
    stopTimer()
  }
}

/** Adds only one listener per signal, because Node reports eleven listeners as a possible memory leak. */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, { readonly actions: Set<() => void>; readonly listener: () => void }>()

  add(signal: AbortSignal, action: () => void): () => void {
    let calls = this.#bySignal.get(signal)
    if (calls === undefined) {
      const actions = new Set<() => void>()
      const listener = (): void => {
        for (const each of [...actions]) each()
      }
      calls = { actions, listener }
      this.#bySignal.set(signal, calls)
      signal.addEventListener('abort', listener)
    }
    const { actions, listener } = calls
    actions.add(action)
    return () => {
      actions.delete(action)
      if (actions.size > 0 || this.#bySignal.get(signal)?.actions !== actions) return
      this.#bySignal.delete(signal)
      signal.removeEventListener('abort', listener)
    }
  }
}
