import type { RunItem } from '../types/chat.js'
import type { AgentRun, RunEvent, RunPart } from '../types/run.js'
import type { EventLog, ItemLog, PartLog } from './run-log.js'
import type { RunSignal } from './run-signal.js'

/** Run that a handle belongs to. */
interface HandledRun {
  readonly log: EventLog
  readonly items: ItemLog
  readonly parts: PartLog
  readonly signal: RunSignal
}

/**
 * A run in progress. Await the handle to get the {@link AgentRun}, or iterate over the handle to get the events of the run. Each iteration
 * starts with the first event. The handle never rejects: a failed run has the status `failed`. If an iteration is more than 100 events
 * behind, the run waits for it, unless the handle is also awaited.
 *
 * @example
 * const run = support.run('Where is my order?', { sessionId: 's-1' })
 * for await (const event of run) console.log(event.type)
 * const { status, result } = await run
 */
export class RunHandle implements PromiseLike<AgentRun>, AsyncIterable<RunEvent> {
  readonly runId: string
  readonly #run: HandledRun
  readonly #ended: Promise<AgentRun>

  constructor(runId: string, run: HandledRun, ended: Promise<AgentRun>) {
    this.runId = runId
    this.#run = run
    this.#ended = ended
  }

  // biome-ignore lint/suspicious/noThenProperty: a handle is awaited
  then<Fulfilled = AgentRun, Rejected = never>(
    onFulfilled?: ((run: AgentRun) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((error: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#run.log.lift()
    return this.#ended.then(onFulfilled, onRejected)
  }

  /** Iterates over the events of the run, starting with the first event. */
  [Symbol.asyncIterator](): AsyncIterableIterator<RunEvent> {
    return this.#run.log.iterate()
  }

  /**
   * Iterates over the items that the run adds: messages, tool outputs, and handoffs to and from nested agents. A tool output appears when
   * its call ends. The earlier conversation is not included. Each iteration starts with the first item and ends when the run ends. The run
   * does not wait for slow iterations.
   *
   * @example
   * for await (const item of support.run('Where is A-1001?', { sessionId: 's-1' }).items()) {
   *   if (item.kind === 'handoff') console.log(item.from_agent, '->', item.to_agent)
   * }
   */
  items(): AsyncIterableIterator<RunItem> {
    return this.#run.items.iterate()
  }

  /**
   * Iterates over the events and items of the run, and over the deltas of its model's responses, in the order in which
   * they appear. Each iteration starts with the first event. From the first iteration on, drivers request streamed
   * responses; earlier responses are not streamed. With the option `deepTracing`, the parts include the events and items
   * of nested runs, but not their deltas. There are no deltas if a hook `afterModel` can change the response. The run
   * does not wait for slow iterations.
   *
   * @example
   * for await (const part of support.run('Where is my order?').parts()) {
   *   if (part.kind === 'delta' && part.delta.type === 'text') process.stdout.write(part.delta.text)
   * }
   */
  parts(): AsyncIterableIterator<RunPart> {
    return this.#run.parts.iterate()
  }

  /** Cancels the run, as the option `signal` does. Does nothing if the run has ended. */
  cancel(reason: unknown = new DOMException('The run was cancelled.', 'AbortError')): void {
    this.#run.signal.abort(reason)
  }
}
