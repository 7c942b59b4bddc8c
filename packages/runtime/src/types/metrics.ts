import type { FailureReason } from './errors.js'

/**
 * How long something took, in milliseconds. Percentiles are at most 2 % off; each is a time that so many of all did not
 * exceed. Times below a microsecond count as 0, those above a day as a day.
 */
export interface LatencySummary {
  readonly mean: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Exact. */
  readonly max: number
}

/** How often something was done, and how long it took. */
export interface OperationMetrics {
  readonly count: number
  /** Absent where it was never done. */
  readonly latencyMs?: LatencySummary
}

/** How often things went wrong, by why; only whys that there were. */
export type FailureCounts<Why extends string = string> = { readonly [Each in Why]?: number }

/** The calls that have ended. */
export interface CallMetrics extends OperationMetrics {
  readonly completed: number
  readonly failed: number
  readonly suspended: number
  /** The failed calls by reason. */
  readonly failures: FailureCounts<FailureReason>
}

/** How something is spread over the open sessions, exactly. All are 0 where none is open. */
export interface Distribution {
  /** Of all sessions together. */
  readonly total: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** What became of the sessions of the observed registries. */
export interface SessionMetrics {
  /** How many are open. */
  readonly open: number
  /** The calls of streaming tools that are under way, by session. */
  readonly pendingCalls: Distribution
  /** What nobody has taken, by session. */
  readonly entries: Distribution
  /** The memory that it takes up, roughly, by session. */
  readonly bytes: Distribution
  /** The changes that wait for the store, by session. */
  readonly unsaved: Distribution
  /** Sessions that nothing was stored of. */
  readonly opened: OperationMetrics
  /** Sessions that were stored. */
  readonly restored: OperationMetrics
  /** Sessions that were looked for and could not be given, by `SessionError` code; `_OTHER` for what is none. */
  readonly openFailures: FailureCounts
  readonly saved: OperationMetrics
  readonly saveFailures: FailureCounts
  readonly closed: OperationMetrics
  readonly closeFailures: FailureCounts
  /** The sessions that were opened elsewhere, and ended here. */
  readonly superseded: number
  /** The calls that had not ended when their process did, and were reported as failed. */
  readonly interruptedCalls: number
  /** The calls that were cut when their session was closed. */
  readonly timedOutCalls: number
}

/** What `RuntimeMetrics` knows at one moment. Plain data: it can be written as JSON. */
export interface MetricsSnapshot {
  readonly calls: CallMetrics & {
    /** How many have begun and not ended. */
    readonly active: number
  }
  /** The calls by the tool's id; `_OTHER` for tools that do not exist, and for more tools than are told apart. */
  readonly tools: Readonly<Record<string, CallMetrics>>
  readonly sessions: SessionMetrics
}
