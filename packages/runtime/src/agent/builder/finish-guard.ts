import type { StopCondition } from '../../contract/stop-condition.js'

/** Ends a run whose model stopped for one of these reasons. */
export function finishGuard(finishReasons: ReadonlySet<string>): StopCondition {
  return ({ finishReason }) =>
    finishReason !== undefined && finishReasons.has(finishReason)
      ? { reason: 'finish_reason', finishReason }
      : undefined
}
