import type { Failure } from './failure.js'
import { after } from './timers.js'
import { FIXED_MESSAGES, peek, ToolFailure } from './tool-failure.js'

export interface AbortTarget {
  abort(reason: unknown): void
}

export function abortFailure(abortReason: unknown): Failure {
  const isTimeout = peek(abortReason, 'name') === 'TimeoutError'
  const isSuperseded = peek(abortReason, 'name') === 'SessionError' && peek(abortReason, 'code') === 'superseded'
  const reason = isTimeout ? 'timeout' : isSuperseded ? 'interrupted' : 'cancelled'
  return { reason, message: FIXED_MESSAGES[reason] }
}

export interface Membership {
  readonly member: AbortTarget
  index: number
}

export type CallTracker = Pick<CallGroup, 'enter' | 'leave'>

/** Uses an array instead of a `Set`, because a `Set` would keep the memory of ended calls for a long time. */
export class CallGroup {
  readonly #members: Membership[] = []
  #aborted: { readonly reason: unknown } | undefined = undefined
  #whenEmpty: (() => void)[] = []

  get aborted(): { readonly reason: unknown } | undefined {
    return this.#aborted
  }

  get isEmpty(): boolean {
    return this.#members.length === 0
  }

  enter(member: AbortTarget): Membership {
    const membership = { member, index: this.#members.length }
    this.#members.push(membership)
    if (this.#aborted !== undefined) member.abort(this.#aborted.reason)
    return membership
  }

  leave({ index }: Membership): void {
    const last = this.#members.pop()
    if (last !== undefined && last.index !== index) {
      last.index = index
      this.#members[index] = last
    }
    if (this.#members.length === 0 && this.#whenEmpty.length > 0) for (const empty of this.#whenEmpty.splice(0)) empty()
  }

  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    for (const { member } of [...this.#members]) member.abort(reason)
  }

  empty(): Promise<void> {
    if (this.isEmpty) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenEmpty.push(resolve)
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
