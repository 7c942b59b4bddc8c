import { after } from './timers.js'
import type { Failure } from './tool-failure.js'
import { FIXED_MESSAGES, peek, ToolFailure } from './tool-failure.js'

/** A call or run that can be cancelled. */
export interface AbortTarget {
  abort(reason: unknown): void
}

/** Something that is aborted at most once. */
export interface Abortable {
  /** The reason of the abort; `undefined` before. */
  readonly aborted: { readonly reason: unknown } | undefined
  /**
   * Runs `action` on abort; never if it is aborted already.
   *
   * @returns removes the action, where what may be aborted outlives the call
   */
  whenAborted(action: (reason: unknown) => void): (() => void) | undefined
}

/** A signal as something that is aborted. */
export function abortableSignal(signal: AbortSignal): Abortable {
  return {
    get aborted() {
      return signal.aborted ? { reason: signal.reason } : undefined
    },
    whenAborted: (action) => {
      const listener = (): void => action(signal.reason)
      signal.addEventListener('abort', listener)
      return () => signal.removeEventListener('abort', listener)
    },
  }
}

/** Rejects with the reason of the abort as soon as there is one, else settles as the work does. */
export function untilAborted<Value>(limit: Abortable, work: () => Promise<Value>): Promise<Value> {
  if (limit.aborted !== undefined) return Promise.reject(limit.aborted.reason)
  return new Promise((resolve, reject) => {
    const release = limit.whenAborted(reject)
    const done = work()
    done.then(resolve, reject)
    if (release !== undefined) done.then(release, release)
  })
}

/** The failure of an aborted call: `timeout` if the reason is a `TimeoutError`, else `cancelled`. */
export function abortFailure(abortReason: unknown): Failure {
  const reason = peek(abortReason, 'name') === 'TimeoutError' ? 'timeout' : 'cancelled'
  return { reason, message: FIXED_MESSAGES[reason] }
}

/** The position of a member in its group; it changes when others leave. */
export interface Membership {
  readonly member: AbortTarget
  index: number
}

/** Calls and runs in progress. */
export interface CallTracker {
  enter(member: AbortTarget): Membership
  leave(membership: Membership): void
}

/**
 * Calls that are aborted together. An array in which the last member takes the position of one that leaves: a `Set` that
 * changes all the time keeps the memory of ended calls for long.
 */
export class CallGroup implements CallTracker {
  readonly #members: Membership[] = []
  #aborted: { readonly reason: unknown } | undefined = undefined
  #whenEmpty: (() => void)[] = []

  /** The reason of the abort; `undefined` before. */
  get aborted(): { readonly reason: unknown } | undefined {
    return this.#aborted
  }

  get isEmpty(): boolean {
    return this.#members.length === 0
  }

  /** Adds a member; one that enters an aborted group is aborted at once. */
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

  /** Aborts all members and those that enter later. The first reason counts. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return
    this.#aborted = { reason }
    for (const { member } of [...this.#members]) member.abort(reason)
  }

  /** Resolves when all members have left. */
  empty(): Promise<void> {
    if (this.isEmpty) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenEmpty.push(resolve)
    })
  }
}

/** The calls and runs of a runtime that have not ended. */
export class RunningCalls extends CallGroup {
  #closed = false

  /** True if new calls and runs are rejected. */
  get closed(): boolean {
    return this.#closed
  }

  /** The failure of a call or run that starts after the runtime was closed. */
  refusal(): ToolFailure {
    return new ToolFailure('The runtime is closed and takes no more calls.', { reason: 'cancelled' })
  }

  /**
   * Rejects new calls and runs, waits for the others, and cancels those that are left after the time.
   *
   * @param drainMs in milliseconds
   */
  async close(drainMs: number): Promise<void> {
    this.#closed = true
    const stopTimer = after(drainMs, () => this.abort(new DOMException('the runtime was closed', 'AbortError')))
    await this.empty()
    stopTimer()
  }
}

/** The calls of one signal. */
interface SignalCalls {
  readonly actions: Set<() => void>
  readonly listener: () => void
}

/**
 * Passes the abort of callers' signals on to their calls with one listener per signal: Node warns of a leak at the
 * eleventh. A signal is listened to only while calls of it run.
 */
export class AbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, SignalCalls>()

  /** Runs `action` when `signal` is aborted. Returns a function that removes the action. */
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

  #listen(signal: AbortSignal): SignalCalls {
    const actions = new Set<() => void>()
    const listener = (): void => {
      for (const action of [...actions]) action()
    }
    const calls = { actions, listener }
    this.#bySignal.set(signal, calls)
    signal.addEventListener('abort', listener)
    return calls
  }
}
