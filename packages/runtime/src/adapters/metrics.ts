import { traced } from '../call/telemetry.js'
import { isSessionError } from '../sessions/session-error.js'
import type { FailureReason } from '../types/errors.js'
import type {
  CallMetrics,
  Distribution,
  FailureCounts,
  LatencySummary,
  MetricsSnapshot,
  OperationMetrics,
  SessionMetrics,
} from '../types/metrics.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentRun, ToolTelemetry, TracedCall, TracedOutcome, Tracer } from '../types/run.js'
import type { ObservableSessions, SessionEvent, SessionUsage } from '../types/session.js'

/** Counts calls that have ended. */
class CallTally {
  readonly #timed = new TimedTally()
  readonly #failures = new FailureTally<FailureReason>()
  #suspended = 0

  record({ status, reason, durationMs }: ToolTelemetry): void {
    this.#timed.record(durationMs)
    if (reason !== undefined) this.#failures.count(reason)
    else if (status === 'suspended') this.#suspended += 1
  }

  figures(): CallMetrics {
    const timed = this.#timed.figures()
    const { total: failed } = this.#failures
    return {
      ...timed,
      completed: timed.count - failed - this.#suspended,
      failed,
      suspended: this.#suspended,
      failures: this.#failures.figures(),
    }
  }
}

/** Counts failures by why. */
class FailureTally<Why extends string = string> {
  readonly #counts = new Map<Why, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  count(why: Why): void {
    this.#total += 1
    this.#counts.set(why, (this.#counts.get(why) ?? 0) + 1)
  }

  figures(): FailureCounts<Why> {
    const counts: { [Each in Why]?: number } = {}
    for (const [why, count] of this.#counts) counts[why] = count
    return counts
  }
}

/** How far a percentile may be off, as a part of it. */
const RELATIVE_ERROR = 0.02

/** What is told apart, in milliseconds. */
const RANGE = { shortest: 0.001, longest: 86_400_000 }

/** Each bucket reaches so many times further than the one before. */
const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
const BUCKETS_PER_E = 1 / Math.log(GROWTH)
const LAST = bucketOf(RANGE.longest)

/**
 * Counts times in buckets of growing width: bucket 0 holds what is shorter than a microsecond, each further one times of
 * which none is more than 2 % off the middle. Takes up 5 KB, however many are counted.
 */
class LatencyHistogram {
  readonly #buckets = new Float64Array(LAST + 1)
  #count = 0
  #sum = 0
  #shortest = RANGE.longest
  #longest = 0

  /** Counts one time. One that is no number from 0 on, as a broken clock gives, counts as 0. */
  record(durationMs: number): void {
    const time = durationMs > 0 ? Math.min(durationMs, RANGE.longest) : 0
    const bucket = bucketOf(time)
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#count += 1
    this.#sum += time
    if (time < this.#shortest) this.#shortest = time
    if (time > this.#longest) this.#longest = time
  }

  /** `undefined` where nothing was counted. */
  figures(): LatencySummary | undefined {
    if (this.#count === 0) return undefined
    const [p50, p95, p99] = [this.#percentile(50), this.#percentile(95), this.#percentile(99)]
    return { mean: this.#sum / this.#count, p50, p95, p99, max: this.#longest }
  }

  #percentile(percent: number): number {
    const rank = nearestRank(percent, this.#count)
    let below = 0
    const bucket = this.#buckets.findIndex((count) => {
      below += count
      return below >= rank
    })
    return Math.min(Math.max(middleOf(bucket), this.#shortest), this.#longest)
  }
}

function bucketOf(time: number): number {
  return time < RANGE.shortest ? 0 : 1 + Math.floor(Math.log(time / RANGE.shortest) * BUCKETS_PER_E)
}

/** As far from the bucket's beginning as from its end, each as a part of itself. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : RANGE.shortest * GROWTH ** (bucket - 1) * (1 + RELATIVE_ERROR)
}

/** Which of so many values in their order is the percentile that so many per cent of all do not exceed; 1 is the first. */
function nearestRank(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100))
}

/**
 * In the manner of the OpenTelemetry conventions: stands for all that are not known or not told apart, so that models cannot
 * make up series.
 */
export const OTHER = '_OTHER'

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
  #active = 0
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
  call(call: TracedCall, work: () => Promise<TracedOutcome>): Promise<TracedOutcome> {
    const tracer = this.#tracer
    const counted = (): Promise<TracedOutcome> => this.#counted(call, work)
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
      calls: { active: this.#active, ...this.#calls.figures() },
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
  #counted({ tool, call }: TracedCall, work: () => Promise<TracedOutcome>): Promise<TracedOutcome> {
    this.#active += 1
    const answer = work()
    answer.then(
      ({ telemetry }) => {
        this.#active -= 1
        this.#calls.record(telemetry)
        this.#tools.record(tool === undefined ? undefined : call.tool, telemetry)
      },
      () => {
        this.#active -= 1
      },
    )
    return answer
  }
}

/** Counts what becomes of sessions. */
class SessionTally {
  readonly #done = {
    opened: new TimedTally(),
    restored: new TimedTally(),
    saved: new TimedTally(),
    closed: new TimedTally(),
  }
  readonly #failures: Readonly<Record<Extract<SessionEvent, { readonly error: Error }>['type'], FailureTally>> = {
    open_failed: new FailureTally(),
    save_failed: new FailureTally(),
    close_failed: new FailureTally(),
  }
  #superseded = 0
  #interruptedCalls = 0
  #timedOutCalls = 0

  record(event: SessionEvent): void {
    switch (event.type) {
      case 'restored':
        this.#interruptedCalls += event.interrupted.length
        this.#done.restored.record(event.durationMs)
        return
      case 'opened':
      case 'saved':
      case 'closed':
        this.#done[event.type].record(event.durationMs)
        return
      case 'calls_timed_out':
        this.#timedOutCalls += event.calls.length
        return
      case 'superseded':
        this.#superseded += 1
        return
      default:
        this.#failures[event.type].count(isSessionError(event.error) ? event.error.code : OTHER)
    }
  }

  /** @param usage of all sessions that are open */
  figures(usage: readonly SessionUsage[]): SessionMetrics {
    const { opened, restored, saved, closed } = this.#done
    const { open_failed, save_failed, close_failed } = this.#failures
    return {
      open: usage.length,
      pendingCalls: spread(usage.map(({ pendingCalls }) => pendingCalls)),
      entries: spread(usage.map(({ entries }) => entries)),
      bytes: spread(usage.map(({ bytes }) => bytes)),
      unsaved: spread(usage.map(({ unsaved }) => unsaved)),
      opened: opened.figures(),
      restored: restored.figures(),
      openFailures: open_failed.figures(),
      saved: saved.figures(),
      saveFailures: save_failed.figures(),
      closed: closed.figures(),
      closeFailures: close_failed.figures(),
      superseded: this.#superseded,
      interruptedCalls: this.#interruptedCalls,
      timedOutCalls: this.#timedOutCalls,
    }
  }
}

/** How values are spread. */
function spread(values: readonly number[]): Distribution {
  const sorted = [...values].sort((one, other) => one - other)
  const percentile = (percent: number): number => sorted[nearestRank(percent, sorted.length) - 1] ?? 0
  return {
    total: sorted.reduce((sum, value) => sum + value, 0),
    p50: percentile(50),
    p95: percentile(95),
    p99: percentile(99),
    max: sorted.at(-1) ?? 0,
  }
}

/** Counts what takes its time. */
class TimedTally {
  readonly #latency = new LatencyHistogram()
  #count = 0

  record(durationMs: number): void {
    this.#count += 1
    this.#latency.record(durationMs)
  }

  figures(): OperationMetrics {
    const latencyMs = this.#latency.figures()
    return latencyMs === undefined ? { count: this.#count } : { count: this.#count, latencyMs }
  }
}

/** Counts calls by tool, for so many tools at most. */
class ToolTallies {
  readonly #byTool = new Map<string, CallTally>()
  readonly #maxTools: number

  constructor(maxTools: number) {
    this.#maxTools = maxTools
  }

  /** @param tool the tool's id; `undefined` where there is no such tool */
  record(tool: string | undefined, telemetry: ToolTelemetry): void {
    this.#tallyOf(tool ?? OTHER).record(telemetry)
  }

  figures(): Readonly<Record<string, CallMetrics>> {
    return Object.fromEntries([...this.#byTool].map(([tool, tally]) => [tool, tally.figures()]))
  }

  #tallyOf(tool: string): CallTally {
    const known = this.#byTool.get(tool)
    if (known !== undefined) return known
    if (tool !== OTHER && this.#byTool.size - (this.#byTool.has(OTHER) ? 1 : 0) >= this.#maxTools) {
      return this.#tallyOf(OTHER)
    }
    const tally = new CallTally()
    this.#byTool.set(tool, tally)
    return tally
  }
}
