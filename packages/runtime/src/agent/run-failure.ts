import { type Classify, classify } from '../execute/failure/classify.js'
import type { KnownFailure } from '../execute/failure/known-failure.js'
import { FIXED_MESSAGES } from '../execute/failure/reasons.js'
import { toolError } from '../execute/hint/tool-error.js'
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
  const failure = classify(thrown, 0, context.classify)
  const { reason } = failure
  if (reason === 'cancelled') return { stop: { reason } }
  const error = toolError({ reason, message: messageOf(failure) }, failure, thrown)
  return { stop: { reason: 'failed', message: error.message }, error }
}

/** The fixed sentences speak of tools; here a planner, a layer or an option may be to blame. */
function messageOf({ reason, message }: KnownFailure): string {
  if (message !== '' && message !== FIXED_MESSAGES.internal) return message
  return reason === 'internal' ? 'The run failed for an internal reason.' : FIXED_MESSAGES[reason]
}
