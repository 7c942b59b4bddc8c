import { traced } from '../call/telemetry.js'
import type { GuardrailReport } from '../types/outcome.js'
import type { ModelResponse, RunMeta, TracedModelCall } from '../types/planner.js'
import type { AgentRun, McpConnectionInfo, TraceContext, TracedCall, TracedOutcome, Tracer } from '../types/run.js'
import type { ObservableSessions } from '../types/session.js'
import { CallCounter, OTHER, SessionCounter } from './metrics-counters.js'
import type { MetricsSnapshot } from './metrics-snapshot.js'

export interface RuntimeMetricsOptions {
  /** Tracer to which the metrics object passes all calls, runs and requests to models, for example `otelTracer()`. Default: none. */
  readonly tracer?: Tracer
  /**
   * Maximum number of tools that have their own counts. Each tool needs 6 KB of memory. The key `_OTHER` counts the calls of all later tools.
   * Default: 1,000.
   */
  readonly maxTools?: number
}

/**
 * Counts and measures the calls of a runtime and the sessions of a registry in memory. Needs 30 KB of memory plus 6 KB per tool,
 * independent of the number of calls. To count every call, including calls in nested runs, pass this object to the runtime as the option
 * `tracer`.
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
  readonly #observed = new Map<ObservableSessions, () => void>()
  #active = 0
  #calls = new CallCounter()
  #tools = new Map<string, CallCounter>()
  #sessions = new SessionCounter()

  /**
   * Creates an object with all counts at zero.
   * @throws {RangeError} if `maxTools` is not an integer of at least 1.
   */
  constructor({ tracer, maxTools = 1_000 }: RuntimeMetricsOptions = {}) {
    if (!Number.isInteger(maxTools) || maxTools < 1) {
      throw new RangeError(`RuntimeMetrics: maxTools must be an integer of at least 1, but is ${maxTools}`)
    }
    this.#tracer = tracer
    this.#maxTools = maxTools
  }

  /** Counts a tool call. The runtime calls this method. */
  call(call: TracedCall, work: () => Promise<TracedOutcome>): Promise<TracedOutcome> {
    const tracer = this.#tracer
    const counted = (): Promise<TracedOutcome> => this.#counted(call, work)
    return tracer === undefined ? counted() : traced((inSpan) => tracer.call(call, inSpan), counted)
  }

  /** Passes a run to the tracer in the option `tracer`, if the option is set. The runtime calls this method. */
  run(meta: RunMeta, work: () => Promise<AgentRun>): Promise<AgentRun> {
    return this.#tracer === undefined ? work() : this.#tracer.run(meta, work)
  }

  /** Passes a model request to the tracer in the option `tracer`, if the option is set. The runtime calls this method. */
  model(call: TracedModelCall, work: () => Promise<ModelResponse>): Promise<ModelResponse> {
    return this.#tracer === undefined ? work() : this.#tracer.model(call, work)
  }

  /** Returns the trace context of the tracer in the option `tracer`, if the option is set. The runtime calls this method. */
  traceContext(): TraceContext | undefined {
    return this.#tracer?.traceContext?.()
  }

  /** Passes the result of a guardrail to the tracer in the option `tracer`, if the option is set. The runtime calls this method. */
  guardrail(report: GuardrailReport, meta: { readonly agent?: string }): void {
    this.#tracer?.guardrail?.(report, meta)
  }

  /** Passes the data of an MCP connection to the tracer in the option `tracer`, if the option is set. The runtime calls this method. */
  mcpConnection(connection: McpConnectionInfo): void {
    this.#tracer?.mcpConnection?.(connection)
  }

  /**
   * Starts to count the session events of a registry. Returns a function that stops the counting. If this object already observes the registry,
   * returns the function that the first `observe` of this registry returned.
   */
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

  /** Returns the counts since the creation or the most recent reset of this object, and the current values of open sessions. */
  snapshot(): MetricsSnapshot {
    return {
      calls: { active: this.#active, ...this.#calls.metrics() },
      tools: Object.fromEntries([...this.#tools].map(([tool, counter]) => [tool, counter.metrics()])),
      sessions: this.#sessions.metrics([...this.#observed.keys()].flatMap((sessions) => sessions.usage())),
    }
  }

  /** Sets all counts to zero. Does not change the number of calls in progress or the current values of open sessions. */
  reset(): void {
    this.#calls = new CallCounter()
    this.#tools = new Map()
    this.#sessions = new SessionCounter()
  }

  #counted({ tool, call }: TracedCall, work: () => Promise<TracedOutcome>): Promise<TracedOutcome> {
    this.#active += 1
    const response = work()
    // This reaction is added before all others, so that the call is counted before other code receives its outcome.
    response.then(
      ({ telemetry }) => {
        this.#active -= 1
        this.#calls.record(telemetry)
        this.#counterOf(tool === undefined ? OTHER : call.tool).record(telemetry)
      },
      () => {
        this.#active -= 1
      },
    )
    return response
  }

  #counterOf(tool: string): CallCounter {
    const existing = this.#tools.get(tool)
    if (existing !== undefined) return existing
    const isFull = this.#tools.size - (this.#tools.has(OTHER) ? 1 : 0) >= this.#maxTools
    if (isFull && tool !== OTHER) return this.#counterOf(OTHER)
    const counter = new CallCounter()
    this.#tools.set(tool, counter)
    return counter
  }
}
