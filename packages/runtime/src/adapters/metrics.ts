import { traced } from '../call/events.js'
import { isSessionError } from '../sessions/stores.js'
import type { FailureReason } from '../types/outcome.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentRun, ToolTelemetry, TracedCall, TracedOutcome, Tracer } from '../types/run.js'
import type { ObservableSessions, SessionEvent, SessionUsage } from '../types/session.js'

/**
 * Name for everything that is unknown or not counted separately, so that models cannot create series. Follows the
 * OpenTelemetry conventions.
 */
export const OTHER = '_OTHER'

/** Returns the code of a session error for metrics. */
export function sessionErrorCode(error: Error): string {
  return isSessionError(error) ? error.code : OTHER
}

/** Options of {@link RuntimeMetrics}. */
export interface RuntimeMetricsOptions {
  /** Tracer that traces the calls and runs too, e.g. `otelTracer()`. */
  readonly tracer?: Tracer
  /** Maximum number of tools that are counted separately; others count as `_OTHER`. Default 1,000; each takes about 6 KB. */
  readonly maxTools?: number
}

/**
 * Counts and measures the calls of a runtime and the sessions of a registry in memory. Takes 30 KB and 6 KB per tool, however
 * many calls there are. Give it to the runtime as its tracer, which receives every call, also those of agents that serve as
 * tools.
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
  /** Observed registries, with the functions that end that. */
  readonly #observed = new Map<ObservableSessions, () => void>()
  #active = 0
  #calls = new CallCounter()
  #tools = new Map<string, CallCounter>()
  #sessions = new SessionCounter()

  /** @throws {RangeError} for an invalid number */
  constructor({ tracer, maxTools = 1_000 }: RuntimeMetricsOptions = {}) {
    if (!Number.isInteger(maxTools) || maxTools < 1) {
      throw new RangeError(`RuntimeMetrics: maxTools is ${maxTools}, give a whole number from 1 on`)
    }
    this.#tracer = tracer
    this.#maxTools = maxTools
  }

  /** For the runtime. */
  call(call: TracedCall, work: () => Promise<TracedOutcome>): Promise<TracedOutcome> {
    const tracer = this.#tracer
    const counted = (): Promise<TracedOutcome> => this.#counted(call, work)
    return tracer === undefined ? counted() : traced((inSpan) => tracer.call(call, inSpan), counted)
  }

  /** For the runtime. */
  run(meta: RunMeta, work: () => Promise<AgentRun>): Promise<AgentRun> {
    return this.#tracer === undefined ? work() : this.#tracer.run(meta, work)
  }

  /** Counts the events of a registry's sessions from now on, once per registry. @returns a function that ends that */
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

  /** Returns what was counted since the creation or the last reset, and the current values. */
  snapshot(): MetricsSnapshot {
    return {
      calls: { active: this.#active, ...this.#calls.metrics() },
      tools: Object.fromEntries([...this.#tools].map(([tool, counter]) => [tool, counter.metrics()])),
      sessions: this.#sessions.metrics([...this.#observed.keys()].flatMap((sessions) => sessions.usage())),
    }
  }

  /** Starts counting from zero, for example each minute. Calls in progress and open sessions stay. */
  reset(): void {
    this.#calls = new CallCounter()
    this.#tools = new Map()
    this.#sessions = new SessionCounter()
  }

  #counted({ tool, call }: TracedCall, work: () => Promise<TracedOutcome>): Promise<TracedOutcome> {
    this.#active += 1
    const response = work()
    // The first listener, so that the call is counted before anybody gets its outcome.
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

class CallCounter {
  readonly #durations = new Durations()
  readonly #failures = new Map<FailureReason, number>()
  #suspended = 0

  record({ status, reason, durationMs }: ToolTelemetry): void {
    this.#durations.record(durationMs)
    if (reason !== undefined) increment(this.#failures, reason)
    else if (status === 'suspended') this.#suspended += 1
  }

  metrics(): CallMetrics {
    const operations = this.#durations.metrics()
    const suspended = this.#suspended
    const failed = [...this.#failures.values()].reduce((sum, count) => sum + count, 0)
    const completed = operations.count - failed - suspended
    return { ...operations, completed, failed, suspended, failures: counts(this.#failures) }
  }
}

class SessionCounter {
  readonly #durations = {
    opened: new Durations(),
    restored: new Durations(),
    saved: new Durations(),
    closed: new Durations(),
  }
  readonly #failures = {
    open_failed: new Map<string, number>(),
    save_failed: new Map<string, number>(),
    close_failed: new Map<string, number>(),
  }
  #superseded = 0
  #interruptedCalls = 0
  #timedOutCalls = 0

  record(event: SessionEvent): void {
    if ('error' in event) increment(this.#failures[event.type], sessionErrorCode(event.error))
    else if (event.type === 'calls_timed_out') this.#timedOutCalls += event.calls.length
    else if (event.type === 'superseded') this.#superseded += 1
    else {
      if (event.type === 'restored') this.#interruptedCalls += event.interrupted.length
      this.#durations[event.type].record(event.durationMs)
    }
  }

  /** @param usage of all open sessions */
  metrics(usage: readonly SessionUsage[]): SessionMetrics {
    const { opened, restored, saved, closed } = this.#durations
    const { open_failed, save_failed, close_failed } = this.#failures
    return {
      open: usage.length,
      pendingCalls: distribution(usage.map(({ pendingCalls }) => pendingCalls)),
      entries: distribution(usage.map(({ entries }) => entries)),
      bytes: distribution(usage.map(({ bytes }) => bytes)),
      unsaved: distribution(usage.map(({ unsaved }) => unsaved)),
      opened: opened.metrics(),
      restored: restored.metrics(),
      openFailures: counts(open_failed),
      saved: saved.metrics(),
      saveFailures: counts(save_failed),
      closed: closed.metrics(),
      closeFailures: counts(close_failed),
      superseded: this.#superseded,
      interruptedCalls: this.#interruptedCalls,
      timedOutCalls: this.#timedOutCalls,
    }
  }
}

function increment<Reason>(counts: Map<Reason, number>, reason: Reason): void {
  counts.set(reason, (counts.get(reason) ?? 0) + 1)
}

function counts<Reason extends string>(counts: ReadonlyMap<Reason, number>): FailureCounts<Reason> {
  const record: { [Each in Reason]?: number } = {}
  for (const [reason, count] of counts) record[reason] = count
  return record
}

function distribution(values: readonly number[]): Distribution {
  const sorted = [...values].sort((one, other) => one - other)
  const percentile = (percent: number): number => sorted[percentileRank(percent, sorted.length) - 1] ?? 0
  return {
    total: sorted.reduce((sum, value) => sum + value, 0),
    p50: percentile(50),
    p95: percentile(95),
    p99: percentile(99),
    max: sorted.at(-1) ?? 0,
  }
}

/** Returns the nearest rank of a percentile; 1 is the first. */
function percentileRank(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100))
}

const RELATIVE_ERROR = 0.02

/** Shortest and longest duration that are distinguished, in milliseconds. */
const RANGE = { shortest: 0.001, longest: 86_400_000 }

/** Ratio of the upper bounds of two neighbouring buckets. */
const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
const LOG_GROWTH = Math.log(GROWTH)
const LAST_BUCKET = bucketOf(RANGE.longest)

/**
 * Histogram with buckets of growing width: bucket 0 has durations below a microsecond, every other one durations that differ
 * from its middle by at most 2 %. Takes 5 KB.
 */
class Durations {
  readonly #buckets = new Float64Array(LAST_BUCKET + 1)
  #count = 0
  #sum = 0
  #min = RANGE.longest
  #max = 0

  /** Counts an invalid duration, for example of a broken clock, as 0. */
  record(durationMs: number): void {
    const duration = durationMs > 0 ? Math.min(durationMs, RANGE.longest) : 0
    const bucket = bucketOf(duration)
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#count += 1
    this.#sum += duration
    this.#min = Math.min(this.#min, duration)
    this.#max = Math.max(this.#max, duration)
  }

  metrics(): OperationMetrics {
    const count = this.#count
    if (count === 0) return { count }
    const [p50, p95, p99] = [this.#percentile(50), this.#percentile(95), this.#percentile(99)]
    return { count, latencyMs: { mean: this.#sum / count, p50, p95, p99, max: this.#max } }
  }

  #percentile(percent: number): number {
    const rank = percentileRank(percent, this.#count)
    let below = 0
    const bucket = this.#buckets.findIndex((count) => {
      below += count
      return below >= rank
    })
    const middle = bucket === 0 ? 0 : RANGE.shortest * GROWTH ** (bucket - 1) * (1 + RELATIVE_ERROR)
    return Math.min(Math.max(middle, this.#min), this.#max)
  }
}

function bucketOf(duration: number): number {
  return duration < RANGE.shortest ? 0 : 1 + Math.floor(Math.log(duration / RANGE.shortest) / LOG_GROWTH)
}

/**
 * Durations in milliseconds. A percentile is the duration that this share of all does not exceed, at most 2 % off. Durations
 * below a microsecond count as 0, those above a day as a day.
 */
export interface LatencySummary {
  readonly mean: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Exact. */
  readonly max: number
}

/** Number of operations and their durations. */
interface OperationMetrics {
  readonly count: number
  /** Absent if there was no operation. */
  readonly latencyMs?: LatencySummary
}

/** Number of failures by reason; reasons without failures are absent. */
type FailureCounts<Reason extends string = string> = { readonly [Each in Reason]?: number }

/** Calls that have ended. */
interface CallMetrics extends OperationMetrics {
  readonly completed: number
  readonly failed: number
  readonly suspended: number
  readonly failures: FailureCounts<FailureReason>
}

/** Distribution of a value over the open sessions, exact. All are 0 if no session is open. */
interface Distribution {
  /** Sum over all sessions. */
  readonly total: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** Metrics of the sessions of the observed registries. */
export interface SessionMetrics {
  /** Number of open sessions. */
  readonly open: number
  /** Streaming calls whose results are outstanding. */
  readonly pendingCalls: Distribution
  /** Entries that nobody has consumed. */
  readonly entries: Distribution
  /** Approximate memory of these entries. */
  readonly bytes: Distribution
  /** Changes that wait for the store. */
  readonly unsaved: Distribution
  /** New sessions. */
  readonly opened: OperationMetrics
  /** Sessions that were stored. */
  readonly restored: OperationMetrics
  /** Failures of opening and restoring by `SessionError` code; `_OTHER` for other errors. */
  readonly openFailures: FailureCounts
  readonly saved: OperationMetrics
  readonly saveFailures: FailureCounts
  readonly closed: OperationMetrics
  readonly closeFailures: FailureCounts
  /** Number of sessions that were opened elsewhere, and ended here. */
  readonly superseded: number
  /** Number of calls that were running when their process ended, and failed. */
  readonly interruptedCalls: number
  /** Number of calls that were timed out when their session was closed. */
  readonly timedOutCalls: number
}

/** Metrics of a `RuntimeMetrics` at one moment. Plain data that can be written as JSON. */
export interface MetricsSnapshot {
  readonly calls: CallMetrics & {
    /** Number of calls in progress. */
    readonly active: number
  }
  /** Calls by the tool's id; `_OTHER` for unknown tools, and for tools beyond `maxTools`. */
  readonly tools: Readonly<Record<string, CallMetrics>>
  readonly sessions: SessionMetrics
}
