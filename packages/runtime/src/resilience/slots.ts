import { type BulkheadPolicy, bulkhead } from 'cockatiel'
import type { ToolCallRef } from '../contract/call.js'
import { WaitingLine } from './waiting-line.js'

/**
 * So many calls at a time, so many in line. cockatiel counts the slots; the line is our own, because in cockatiel's queue
 * a cancelled call keeps its place until a slot is free.
 */
export class Slots {
  readonly #policy: BulkheadPolicy
  readonly #queue: number
  readonly #line = new WaitingLine()
  /** How many calls of an id are inside: ids are unique within a run alone. */
  readonly #inside = new Map<string, number>()

  constructor(concurrent: number, queue: number) {
    this.#policy = bulkhead(concurrent, 0)
    this.#queue = queue
  }

  /**
   * Makes a call when there is room. A call that one inside has caused needs no room of its own: it would wait for the
   * one that waits for it.
   *
   * @param call never rejects
   * @returns `full` when the line is too long, `cancelled` when the signal was aborted before
   */
  async run<Value>(
    { toolCallId, parentToolCallId }: ToolCallRef,
    signal: AbortSignal,
    call: () => Promise<Value>,
  ): Promise<Value | 'full' | 'cancelled'> {
    const known = async (): Promise<Value> => {
      this.#count(toolCallId, 1)
      try {
        return await call()
      } finally {
        this.#count(toolCallId, -1)
      }
    }
    if (signal.aborted) return 'cancelled'
    if (parentToolCallId !== undefined && this.#inside.has(parentToolCallId)) return known()
    this.#advance()
    const release =
      this.#policy.executionSlots > 0
        ? this.#take()
        : this.#line.length >= this.#queue
          ? 'full'
          : await this.#line.wait(signal, () => this.#take())
    if (release === undefined) return 'cancelled'
    if (release === 'full') return 'full'
    // Made here and not by the call that leaves: the context of asynchronous work is this call's own.
    return known().finally(release)
  }

  #count(id: string, change: number): void {
    const count = (this.#inside.get(id) ?? 0) + change
    if (count > 0) this.#inside.set(id, count)
    else this.#inside.delete(id)
  }

  /** Takes a free slot. @returns gives it back */
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

  /** Lets in who waits, for every slot that is free. */
  #advance(): void {
    while (this.#policy.executionSlots > 0 && this.#line.callNext());
  }
}
