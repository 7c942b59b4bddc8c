import type { FailureReason } from '../types/failure.js'

/** Mean, percentiles and maximum of durations, in milliseconds. Percentiles are accurate to 2 % for durations from 0.001 ms to one day. */
export interface LatencySummary {
  readonly mean: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  /** Longest duration. This value is exact. */
  readonly max: number
}

export interface OperationMetrics {
  readonly count: number
  /** Durations of the operations. Omitted if `count` is 0. */
  readonly latencyMs?: LatencySummary
}

export type FailureCounts<Reason extends string = string> = { readonly [Each in Reason]?: number }

export interface CallMetrics extends OperationMetrics {
  readonly completed: number
  readonly failed: number
  readonly suspended: number
  readonly failures: FailureCounts<FailureReason>
}

/** Sum, percentiles and maximum of one measured value over all open sessions. All properties are 0 if no session is open. */
export interface Distribution {
  readonly total: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** Metrics of all sessions in the registries that were passed to `observe`. */
export interface SessionMetrics {
  readonly open: number
  /** Number of streaming calls without a result, per open session. */
  readonly pendingCalls: Distribution
  /** Number of results and updates that the application has not consumed yet, per open session. */
  readonly entries: Distribution
  /** Approximate size of the results and updates that the application has not consumed yet, in bytes, per open session. */
  readonly bytes: Distribution
  /** Number of changes that are not stored yet, per open session. */
  readonly unsaved: Distribution
  readonly opened: OperationMetrics
  readonly restored: OperationMetrics
  /** Maps the code of each `SessionError` to the number of failures to open or restore a session. The key for all other errors is `_OTHER`. */
  readonly openFailures: FailureCounts
  readonly saved: OperationMetrics
  readonly saveFailures: FailureCounts
  readonly closed: OperationMetrics
  readonly closeFailures: FailureCounts
  /** Number of sessions that ended in this process because another process opened the same session. */
  readonly superseded: number
  /** Number of calls that failed with the reason `interrupted`, because their process ended. */
  readonly interruptedCalls: number
  /** Number of calls that failed with the reason `timeout`, because their session was closed before the end of the call. */
  readonly timedOutCalls: number
}

/** Metrics that `RuntimeMetrics.snapshot()` returns: plain data that JSON can represent. */
export interface MetricsSnapshot {
  /**
   * Metrics of calls. `active` is the number of calls in progress. All other properties describe ended calls: their number (`count`), the
   * numbers by status (`completed`, `failed`, `suspended`), the failures by reason, and the durations (`latencyMs`). A streaming call in a
   * session ends when its result is available.
   */
  readonly calls: CallMetrics & {
    /** Number of calls in progress. */
    readonly active: number
  }
  /**
   * Tool id → metrics of the calls of this tool. The first `maxTools` called tools (option of `RuntimeMetrics`) have their own keys. The key
   * `_OTHER` contains the metrics of all later tools, and of unknown tools.
   */
  readonly tools: Readonly<Record<string, CallMetrics>>
  /**
   * Metrics of sessions. `open` is the current number of open sessions. `pendingCalls`, `entries`, `bytes` and `unsaved` describe values that
   * each open session has at present: the sum (`total`), percentiles and the maximum. All other properties count events since the last reset.
   * `opened`, `restored`, `saved` and `closed` have `count` and `latencyMs`. `openFailures`, `saveFailures` and `closeFailures` count failures
   * by the code of the `SessionError`. `superseded` counts sessions that another process has opened instead. `interruptedCalls` counts calls
   * that a crash ended. `timedOutCalls` counts calls in sessions that were closed before the end of the call.
   */
  readonly sessions: SessionMetrics
}
