import type { AgentRun } from '../contract/agent-run.js'
import type { MetricsSnapshot } from '../contract/metrics.js'
import type { RunMeta } from '../contract/planner.js'
import type { ObservableSessions } from '../contract/session-usage.js'
import type { EndedCall, TracedCall, Tracer } from '../contract/telemetry.js'
import { traced } from '../event/traced.js'
import { CallTally } from './call-tally.js'
import { SessionTally } from './session-tally.js'
import { ToolTallies } from './tool-tallies.js'

/** How metrics differ from the default ones. */
export interface RuntimeMetricsOptions {
  /** Accompanies the calls and runs beside the metrics, e.g. `otelTracer()`. */
  readonly tracer?: Tracer
  /** How many tools are told apart; calls of more count under `_OTHER`. Default 1,000; each takes up about 6 KB. */
  readonly maxTools?: number
}

/**
 * Counts and measures the calls of a runtime and the sessions of a registry in memory, for a service to read, print and
 * serve. Needs no package; takes up 30 KB and 6 KB for each tool, however many calls there are. Give it to the runtime as
 * its tracer: that is told of every call, those of agents that serve as tools too.
 *
 * @example
 * const metrics = new RuntimeMetrics()
 * const support = registerSupport(new Runtime({ tracer: metrics }), parts)
 * const sessions = new SessionRegistry({ agents: { support } })
 * metrics.observe(sessions)
 * setInterval(() => console.log(JSON.stringify(metrics.snapshot())), 60_000)
 */
export class RuntimeMetrics implements Tracer {
  readonly #tracer: Tracer | undefined
  readonly #maxTools: number
  /** The observed registries, with what ends that. */
  readonly #observed = new Map<ObservableSessions, () => void>()
  #underWay = 0
  #calls = new CallTally()
  #tools: ToolTallies
  #sessions = new SessionTally()

  /** @throws {RangeError} for an illegal number. */
  constructor({ tracer, maxTools = 1_000 }: RuntimeMetricsOptions = {}) {
    if (!Number.isInteger(maxTools) || maxTools < 1) {
      throw new RangeError(`RuntimeMetrics: maxTools is ${maxTools}, give a whole number from 1 on`)
    }
    this.#tracer = tracer
    this.#maxTools = maxTools
    this.#tools = new ToolTallies(maxTools)
  }

  /** For the runtime. */
  call(call: TracedCall, work: () => Promise<EndedCall>): Promise<EndedCall> {
    const tracer = this.#tracer
    const counted = (): Promise<EndedCall> => this.#counted(call, work)
    return tracer === undefined ? counted() : traced((inSpan) => tracer.call(call, inSpan), counted)
  }

  /** For the runtime. */
  run(meta: RunMeta, work: () => Promise<AgentRun>): Promise<AgentRun> {
    return this.#tracer === undefined ? work() : this.#tracer.run(meta, work)
  }

  /** Counts what becomes of the sessions of a registry, from now on. Observing it again changes nothing. @returns ends that */
  observe(sessions: ObservableSessions): () => void {
    const observed = this.#observed.get(sessions)
    if (observed !== undefined) return observed
    const unsubscribe = sessions.subscribe((event) => this.#sessions.record(event))
    const stop = (): void => {
      unsubscribe()
      if (this.#observed.get(sessions) === stop) this.#observed.delete(sessions)
    }
    this.#observed.set(sessions, stop)
    return stop
  }

  /** The figures since the metrics were made or reset, and those of this moment. */
  snapshot(): MetricsSnapshot {
    return {
      calls: { underWay: this.#underWay, ...this.#calls.figures() },
      tools: this.#tools.figures(),
      sessions: this.#sessions.figures([...this.#observed.keys()].flatMap((sessions) => sessions.usage())),
    }
  }

  /** Counts and measures from zero again, as for figures of each minute. What is under way or open stays. */
  reset(): void {
    this.#calls = new CallTally()
    this.#tools = new ToolTallies(this.#maxTools)
    this.#sessions = new SessionTally()
  }

  /** Counts before anybody is given the answer: it is the first to listen. */
  #counted({ tool, call }: TracedCall, work: () => Promise<EndedCall>): Promise<EndedCall> {
    this.#underWay += 1
    const answer = work()
    answer.then(
      ({ telemetry }) => {
        this.#underWay -= 1
        this.#calls.record(telemetry)
        this.#tools.record(tool === undefined ? undefined : call.tool, telemetry)
      },
      () => {
        this.#underWay -= 1
      },
    )
    return answer
  }
}
