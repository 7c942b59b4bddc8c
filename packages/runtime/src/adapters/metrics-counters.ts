import { isSessionError } from '../sessions/stores.js'
import type { FailureReason } from '../types/failure.js'
import type { ToolTelemetry } from '../types/run.js'
import type { SessionEvent, SessionUsage } from '../types/session.js'
import type { CallMetrics, Distribution, FailureCounts, OperationMetrics, SessionMetrics } from './metrics-snapshot.js'

/**
 * Value in metrics for unknown tools, and for errors that are not a `SessionError`. The OpenTelemetry conventions define `_OTHER`. Without this
 * value, each tool name that a model invents would create a new time series.
 */
export const OTHER = '_OTHER'

export function sessionErrorCode(error: Error): string {
  return isSessionError(error) ? error.code : OTHER
}

export class CallCounter {
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

export class SessionCounter {
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
  return Object.fromEntries(counts) as FailureCounts<Reason> // the keys of the map
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

function percentileRank(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100))
}

const RELATIVE_ERROR = 0.02

/** In milliseconds. The first bucket also counts shorter durations, and the last bucket also counts longer durations. */
const RANGE = { shortest: 0.001, longest: 86_400_000 }

const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)

const LOG_GROWTH = Math.log(GROWTH)

const LAST_BUCKET = bucketOf(RANGE.longest)

class Durations {
  readonly #buckets = new Float64Array(LAST_BUCKET + 1)
  #count = 0
  #sum = 0
  #min = RANGE.longest
  #max = 0

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
