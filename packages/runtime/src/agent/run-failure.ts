import type { ToolError } from '../contract/outcome.js'
import type { FailureReason } from '../contract/retry-hint.js'
import { type Classify, classify } from '../execute/failure/classify.js'
import { FIXED_MESSAGES } from '../execute/failure/reasons.js'
import type { RunFailure } from './ended-run.js'
import type { RunSignal } from './run-signal.js'

/** What a run needs to know of an error that ended it. */
export interface FailureContext {
  readonly signal: RunSignal
  readonly timeBudgetMs: number | undefined
  readonly classify: Classify | undefined
}

/** What an error ends a run with: a cancellation, the time budget, or a failure whose cause is kept for logs. */
export function runFailure(thrown: unknown, context: FailureContext): RunFailure {
  const { signal, timeBudgetMs = 0 } = context
  if (signal.outOfTime()) return { stop: { reason: 'time_budget', limit: timeBudgetMs } }
  if (signal.signal.aborted) return { stop: { reason: 'cancelled' } }
  const { reason, message } = classify(thrown, 0, context.classify)
  if (reason === 'cancelled') return { stop: { reason } }
  const error: ToolError = { reason, message: messageOf(reason, message) }
  // Not enumerable: a run that is logged, stored or shown as JSON tells nothing of it.
  Object.defineProperty(error, 'cause', { value: thrown, enumerable: false })
  return { stop: { reason: 'failed', message: error.message }, error }
}

/** The fixed sentences speak of tools; here a planner, a layer or an option may be to blame. */
function messageOf(reason: FailureReason, message: string): string {
  if (message !== '' && message !== FIXED_MESSAGES.internal) return message
  return reason === 'internal' ? 'The run failed for an internal reason.' : FIXED_MESSAGES[reason]
}
