import { type BulkheadPolicy, bulkhead as bulkheadPolicy } from 'cockatiel'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer } from '../types/layer.js'
import type { ToolCallRef } from '../types/tool.js'
import { abortedOutcome, endOf, requireWhole, type StateScope, stateOf } from './backoff.js'

/** Options of `bulkhead`. */
export interface BulkheadOptions {
  /** Maximum number of concurrent calls. */
  readonly concurrent: number
  /** Maximum number of waiting calls. Default 100. */
  readonly queue?: number
  /** Calls that are counted together. Default `layer`: tools mostly share a service. */
  readonly per?: StateScope
}

/**
 * Limits the number of calls that run at a time. Others wait in a queue; if it is full, a call fails at once as `unavailable`.
 * A cancelled call leaves the queue at once. Calls that a running call causes do not wait.
 *
 * @throws {RangeError} when `concurrent` is no whole number from 1 on, or `queue` none from 0 on.
 *
 * @example
 * registration.layer(bulkhead({ concurrent: 4, queue: 20 }))
 */
export function bulkhead({ concurrent, queue = 100, per = 'layer' }: BulkheadOptions): ToolLayer {
  requireWhole('bulkhead: concurrent', concurrent, 1)
  requireWhole('bulkhead: queue', queue, 0)
  const slotsOfTool = stateOf(per, () => new Slots(concurrent, queue))
  return (next) => {
    const slots = slotsOfTool()
    return async (request) => {
      const outcome = await slots.run(request.call, request.meta.signal, () => endOf(next, request))
      if (outcome === 'cancelled') return abortedOutcome(request)
      if (outcome !== 'full') return outcome
      const message = 'Too many calls of the tool are under way.'
      return request.fail(new ToolFailure(message, { reason: 'unavailable', action: 'wait' }))
    }
  }
}

/**
 * Limits for running and waiting calls. cockatiel counts the running ones. It does not queue the others: in its queue a
 * cancelled call stays until a slot is free.
 */
class Slots {
  readonly #policy: BulkheadPolicy
  readonly #queue: number
  readonly #line = new WaitingLine()
  /** Number of running calls per id; ids are unique within a run only. */
  readonly #inside = new Map<string, number>()

  constructor(concurrent: number, queue: number) {
    this.#policy = bulkheadPolicy(concurrent, 0)
    this.#queue = queue
  }

  /**
   * Makes a call when there is room. A call that a running call has caused needs no room: both would wait for each other.
   *
   * @param call never rejects
   * @returns `full` if too many calls wait, `cancelled` if the signal was aborted before
   */
  async run<Value>(
    { toolCallId, parentToolCallId }: ToolCallRef,
    signal: AbortSignal,
    call: () => Promise<Value>,
  ): Promise<Value | 'full' | 'cancelled'> {
    const counted = async (): Promise<Value> => {
      this.#count(toolCallId, 1)
      try {
        return await call()
      } finally {
        this.#count(toolCallId, -1)
      }
    }
    if (signal.aborted) return 'cancelled'
    if (parentToolCallId !== undefined && this.#inside.has(parentToolCallId)) return counted()
    this.#advance()
    const isFree = this.#policy.executionSlots > 0
    if (!isFree && this.#line.length >= this.#queue) return 'full'
    const release = isFree ? this.#take() : await this.#line.wait(signal, () => this.#take())
    if (release === undefined) return 'cancelled'
    // Not made by the call that leaves: the context of asynchronous work is this call's own.
    return counted().finally(release)
  }

  #count(id: string, change: number): void {
    const count = (this.#inside.get(id) ?? 0) + change
    if (count > 0) this.#inside.set(id, count)
    else this.#inside.delete(id)
  }

  /** Takes a free slot. @returns a function that releases it */
  #take(): () => void {
    let release = (): void => undefined
    const held = this.#policy.execute(
      () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    )
    held.finally(() => this.#advance())
    return () => release()
  }

  /** Starts a waiting call for each free slot. */
  #advance(): void {
    while (this.#policy.executionSlots > 0 && this.#line.callNext());
  }
}

/** Waiting calls, in order of arrival. A cancelled one leaves at once. */
export class WaitingLine {
  readonly #turns = new Set<() => void>()

  get length(): number {
    return this.#turns.size
  }

  /** Waits for the turn, then returns the result of `start`; `undefined` if the signal is aborted first. */
  wait<Value>(signal: AbortSignal, start: () => Value | Promise<Value>): Promise<Value | undefined> {
    if (signal.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const end = (): void => {
        this.#turns.delete(turn)
        signal.removeEventListener('abort', leave)
      }
      const leave = (): void => {
        end()
        resolve(undefined)
      }
      const turn = (): void => {
        end()
        resolve(start())
      }
      this.#turns.add(turn)
      signal.addEventListener('abort', leave)
    })
  }

  /** Starts the call that has waited longest. Returns false if none waits. */
  callNext(): boolean {
    const [turn] = this.#turns
    turn?.()
    return turn !== undefined
  }
}
