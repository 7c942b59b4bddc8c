import type { RunItem } from '../types/chat.js'
import type { AgentRun, RunEvent } from '../types/run.js'
import type { EventLog, ItemLog } from './event-log.js'

/**
 * A run under way. Awaited, it is the {@link AgentRun}; iterated over, its events, each iteration from the first one on.
 * It never rejects: a failure is a run that ended so. While somebody iterates and nobody awaits, the run waits for an
 * iteration that is more than 100 events behind.
 *
 * @example
 * const run = support.run('Where is my order?', { sessionId: 's-1' })
 * for await (const event of run) console.log(event.type)
 * const { status, result } = await run
 */
export class RunHandle implements PromiseLike<AgentRun>, AsyncIterable<RunEvent> {
  readonly runId: string
  readonly #log: EventLog
  readonly #items: ItemLog
  readonly #ended: Promise<AgentRun>

  constructor(
    runId: string,
    { log, items }: { readonly log: EventLog; readonly items: ItemLog },
    ended: Promise<AgentRun>,
  ) {
    this.runId = runId
    this.#log = log
    this.#items = items
    this.#ended = ended
  }

  // biome-ignore lint/suspicious/noThenProperty: a handle is awaited
  then<Fulfilled = AgentRun, Rejected = never>(
    onFulfilled?: ((run: AgentRun) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#log.lift()
    return this.#ended.then(onFulfilled, onRejected)
  }

  /** The events of the run, from its first one on; each iteration has all of them. */
  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent> {
    return this.#log.iterate()
  }

  /**
   * Returns the items that the run adds, as they appear: messages, tool outputs, and handoffs to and from the agents that
   * serve its calls. A tool output appears when its call has ended, so the outputs of parallel calls are in the order in which
   * they end. The conversation that the run began with is not included. Each iteration begins with the first item and ends
   * with the run; it never holds the run up.
   *
   * @example
   * for await (const item of support.run('Where is A-1001?', { sessionId: 's-1' }).items()) {
   *   if (item.kind === 'handoff') console.log(item.from_agent, '->', item.to_agent)
   * }
   */
  items(): AsyncIterableIterator<RunItem> {
    return this.#items.iterate()
  }
}
