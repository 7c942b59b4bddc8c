import type { FailureReason } from '../types/failure.js'

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
export interface OperationMetrics {
  readonly count: number
  /** Absent if there was no operation. */
  readonly latencyMs?: LatencySummary
}

/** Number of failures by reason; reasons without failures are absent. */
export type FailureCounts<Reason extends string = string> = { readonly [Each in Reason]?: number }

/** Calls that have ended. */
export interface CallMetrics extends OperationMetrics {
  readonly completed: number
  readonly failed: number
  readonly suspended: number
  readonly failures: FailureCounts<FailureReason>
}

/** Distribution of a value over the open sessions, exact. All are 0 if no session is open. */
export interface Distribution {
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
