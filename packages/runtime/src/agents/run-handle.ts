import type { RunItem } from '../types/chat.js'
import type { AgentRun, RunEvent, RunPart } from '../types/run.js'
import type { EventLog, ItemLog, PartLog } from './run-log.js'
import type { RunSignal } from './run-signal.js'
import type { RunStart } from './step-attempts.js'

interface HandledRun {
  readonly log: EventLog
  readonly items: ItemLog
  readonly parts: PartLog
  readonly signal: RunSignal
  readonly start: RunStart
}

/** State from which the run starts or continues. Available as soon as the run has started a step. */
export let startOf: (handle: RunHandle) => RunStart

/**
 * Handle of a run in progress. Await the handle to get the {@link AgentRun}, or iterate over the handle to get the events of the run. Each
 * iteration starts with the first event. The handle never rejects: a failed run has the status `failed`. If an iteration is more than 100 events
 * behind, the run waits until the iteration reads more events. If you also await the handle, the run does not wait for iterations.
 *
 * @example
 * const run = support.run('Where is my order?', { sessionId: 's-1' })
 * for await (const event of run) console.log(event.type)
 * const { status, result } = await run
 */
export class RunHandle implements PromiseLike<AgentRun>, AsyncIterable<RunEvent> {
  static {
    startOf = (handle) => handle.#run.start
  }

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
   * its call ends. The iteration does not include the earlier conversation. Each iteration starts with the first item and ends when the run
   * ends. The run does not wait for slow iterations.
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
   * Iterates over the events and items of the run, and over the deltas of its model's responses, in the order in which they appear. Each
   * iteration starts with the first event. Drivers request streamed responses only after the first iteration has started. Earlier responses have
   * no deltas. With the option `deepTracing`, the iteration includes the events and items of nested runs, but not the deltas of nested runs. If
   * a hook `afterModel` can change the response, the run emits no deltas. The run does not wait for slow iterations.
   *
   * @example
   * for await (const part of support.run('Where is my order?').parts()) {
   *   if (part.kind === 'delta' && part.delta.type === 'text') process.stdout.write(part.delta.text)
   * }
   */
  parts(): AsyncIterableIterator<RunPart> {
    return this.#run.parts.iterate()
  }

  /** Cancels the run, like an abort of the option `signal`. Does nothing if the run has ended. */
  cancel(reason: unknown = new DOMException('The run was cancelled.', 'AbortError')): void {
    this.#run.signal.abort(reason)
  }
}
