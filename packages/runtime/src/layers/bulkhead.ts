import { type BulkheadPolicy, bulkhead as bulkheadPolicy } from 'cockatiel'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer } from '../types/layer.js'
import type { ToolCallRef } from '../types/tool.js'
import { abortedOutcome, endOf, requireWhole, type StateScope, stateOf } from './backoff.js'

export interface BulkheadOptions {
  readonly concurrent: number
  /** Maximum number of waiting calls. Default: 100. */
  readonly queue?: number
  /** Group of calls that share the limit. Default: `layer`, because tools usually share a service. */
  readonly per?: StateScope
}

/**
 * Limits the number of concurrent calls. Calls above this number wait in a queue. If the queue is full, a new call immediately fails with the reason
 * `unavailable`. A cancelled call immediately leaves the queue. A nested call, which a running call makes, does not wait.
 *
 * @throws {RangeError} if `concurrent` is not an integer of at least 1, or if `queue` is not an integer of at least 0.
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
      const message = 'Too many calls of the tool are running.'
      return request.fail(new ToolFailure(message, { reason: 'unavailable', action: 'wait' }))
    }
  }
}

/** Does not use the queue of the library cockatiel, because that queue would keep cancelled calls. */
class Slots {
  readonly #policy: BulkheadPolicy
  readonly #queue: number
  readonly #line = new WaitingLine()
  /** Calls of different runs can have the same id, so the map counts the running calls with an id. */
  readonly #inside = new Map<string, number>()

  constructor(concurrent: number, queue: number) {
    this.#policy = bulkheadPolicy(concurrent, 0)
    this.#queue = queue
  }

  /** A nested call starts immediately, because a wait for the slot of its outer call would be a deadlock. `call` must never reject. */
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
    // The call starts here and not in the call that releases the slot, so that it keeps its own async context.
    return counted().finally(release)
  }

  #count(id: string, change: number): void {
    const count = (this.#inside.get(id) ?? 0) + change
    if (count > 0) this.#inside.set(id, count)
    else this.#inside.delete(id)
  }

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

  #advance(): void {
    while (this.#policy.executionSlots > 0 && this.#line.callNext());
  }
}

export class WaitingLine {
  readonly #turns = new Set<() => void>()

  get length(): number {
    return this.#turns.size
  }

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

  callNext(): boolean {
    const [turn] = this.#turns
    turn?.()
    return turn !== undefined
  }
}
