import type { AgentRun } from '../contract/agent-run.js'
import type { RunEvent } from '../contract/event.js'
import type { EventLog } from '../event/event-log.js'

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
  readonly #ended: Promise<AgentRun>

  constructor(runId: string, log: EventLog, ended: Promise<AgentRun>) {
    this.runId = runId
    this.#log = log
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
}
