/** The longest delay that a timer takes. */
const LONGEST_TIMER_MS = 2_147_483_647

/** The signal of a run with what lets go of its sources. */
export interface RunSignal {
  readonly signal: AbortSignal
  /** Whether the run's own time budget aborted it. */
  readonly outOfTime: () => boolean
  readonly release: () => void
}

/** Joins the caller's signal and the time budget (in milliseconds) of a run. */
export function runSignal(caller: AbortSignal | undefined, timeBudgetMs: number | undefined): RunSignal {
  const controller = new AbortController()
  const budgetError = new DOMException('the time budget of the run is used up', 'TimeoutError')
  const cancel = (): void => controller.abort(caller?.reason)
  if (caller?.aborted) cancel()
  else caller?.addEventListener('abort', cancel)
  const timer =
    timeBudgetMs === undefined || timeBudgetMs > LONGEST_TIMER_MS
      ? undefined
      : setTimeout(() => controller.abort(budgetError), timeBudgetMs)
  return {
    signal: controller.signal,
    outOfTime: () => controller.signal.reason === budgetError,
    release: () => {
      clearTimeout(timer)
      caller?.removeEventListener('abort', cancel)
    },
  }
}
