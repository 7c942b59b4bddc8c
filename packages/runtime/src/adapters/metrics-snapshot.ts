import type { FailureReason } from '../types/failure.js'

/** Durations in milliseconds, from 0.001 to one day. Percentiles are accurate to 2 %. */
export interface LatencySummary {
  readonly mean: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Longest duration, exact. */
  readonly max: number
}

/** Number of operations and their durations. */
export interface OperationMetrics {
  readonly count: number
  /** Absent if there was no operation. */
  readonly latencyMs?: LatencySummary
}

/** Number of failures by reason. Reasons without failures are absent. */
export type FailureCounts<Reason extends string = string> = { readonly [Each in Reason]?: number }

/** Calls that have ended. */
export interface CallMetrics extends OperationMetrics {
  readonly completed: number
  readonly failed: number
  readonly suspended: number
  readonly failures: FailureCounts<FailureReason>
}

/** Total and distribution of one value over all open sessions. All values are 0 if no session is open. */
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
  /** Number of streaming calls per session that have no result yet. */
  readonly pendingCalls: Distribution
  /** Number of unconsumed results and updates per session. */
  readonly entries: Distribution
  /** Approximate size of the unconsumed results and updates per session, in bytes. */
  readonly bytes: Distribution
  /** Number of changes per session that are not stored yet. */
  readonly unsaved: Distribution
  /** New sessions. */
  readonly opened: OperationMetrics
  /** Sessions that were loaded from the store. */
  readonly restored: OperationMetrics
  /** Number of failures when opening or restoring, by `SessionError` code; `_OTHER` for other errors. */
  readonly openFailures: FailureCounts
  readonly saved: OperationMetrics
  readonly saveFailures: FailureCounts
  readonly closed: OperationMetrics
  readonly closeFailures: FailureCounts
  /** Number of sessions that ended in this process because another process opened them. */
  readonly superseded: number
  /** Number of calls that were running when an earlier process ended. They failed with the reason `interrupted`. */
  readonly interruptedCalls: number
  /** Number of calls that were timed out because their session was closed. */
  readonly timedOutCalls: number
}

/** Metrics of a `RuntimeMetrics` at one moment, as plain data that can be written as JSON. */
export interface MetricsSnapshot {
  readonly calls: CallMetrics & {
    /** Number of calls in progress. */
    readonly active: number
  }
  /** Calls by tool id; `_OTHER` for unknown tools and for tools beyond `maxTools`. */
  readonly tools: Readonly<Record<string, CallMetrics>>
  readonly sessions: SessionMetrics
}
