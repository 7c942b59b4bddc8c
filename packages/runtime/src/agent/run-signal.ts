import type { AbortListeners } from '../execute/call/abort-listeners.js'
import { after } from '../time/long-timer.js'

/** The signal of a run, with its sources. */
export interface RunSignal {
  readonly signal: AbortSignal
  /** Cancels the run. The first reason counts. */
  abort(reason: unknown): void
  /** Whether the run's own time budget aborted it. */
  outOfTime(): boolean
  /** Lets go of the caller's signal and of the timer. */
  release(): void
}

/** What may end a run early. */
export interface RunLimits {
  /** The caller's signal. */
  readonly caller: AbortSignal | undefined
  /** In milliseconds; absent: no limit. */
  readonly timeBudgetMs: number | undefined
}

/** Joins the caller's signal and the time budget to a signal of the run's own. */
export function runSignal({ caller, timeBudgetMs }: RunLimits, listeners: AbortListeners): RunSignal {
  const controller = new AbortController()
  let budgetError: DOMException | undefined
  const abort = (reason: unknown): void => controller.abort(reason)
  if (caller?.aborted) abort(caller.reason)
  const stopListening = caller && listeners.add(caller, () => abort(caller.reason))
  const expire = (): void => {
    budgetError = new DOMException('the time budget of the run is used up', 'TimeoutError')
    abort(budgetError)
  }
  // Of a run that goes on after a wait it may be used up already.
  if (timeBudgetMs !== undefined && timeBudgetMs < 0) expire()
  const stopTimer = timeBudgetMs === undefined || timeBudgetMs < 0 ? undefined : after(timeBudgetMs, expire)
  return {
    signal: controller.signal,
    abort,
    outOfTime: () => budgetError !== undefined && controller.signal.reason === budgetError,
    release: () => {
      stopListening?.()
      stopTimer?.()
    },
  }
}
