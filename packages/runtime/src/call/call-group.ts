import { after } from './timers.js'
import { ToolFailure } from './tool-failure.js'

/** Something under way that can be told to end: a call, or a run. */
export interface AbortTarget {
  abort(reason: unknown): void
}

/** A member's place in its group; it moves when others leave. */
export interface Membership {
  readonly member: AbortTarget
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
  enter(member: AbortTarget): Membership {
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
  enter(running: AbortTarget): Membership {
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

/** The calls of one signal that are under way. */
interface Listening {
  readonly actions: Set<() => void>
  readonly listener: () => void
}

/**
 * Passes the abort of callers' signals on to their calls with one listener per signal, however many calls run: Node
 * warns of a leak at the eleventh. A signal is listened to only while calls of it run.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Listening>()

  /** Runs `action` when `signal` is aborted. What is returned takes that back. */
  add(signal: AbortSignal, action: () => void): () => void {
    const { actions, listener } = this.#bySignal.get(signal) ?? this.#listen(signal)
    actions.add(action)
    return () => {
      actions.delete(action)
      if (actions.size > 0 || this.#bySignal.get(signal)?.actions !== actions) return
      this.#bySignal.delete(signal)
      signal.removeEventListener('abort', listener)
    }
  }

  #listen(signal: AbortSignal): Listening {
    const actions = new Set<() => void>()
    const listener = (): void => {
      for (const action of [...actions]) action()
    }
    const listening = { actions, listener }
    this.#bySignal.set(signal, listening)
    signal.addEventListener('abort', listener)
    return listening
  }
}
