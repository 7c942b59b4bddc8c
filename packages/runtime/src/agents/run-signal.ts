import type { AbortListeners } from '../call/call-group.js'
import { after } from '../call/timers.js'
import { GRACE_MS } from '../call/tool-call.js'

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
interface RunLimits {
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

/** Work until a signal is aborted: then rejects with its reason, whatever becomes of the work. */
export function untilSignal<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    // Not by `finally`, which makes two more promises.
    const release = (): void => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop)
    work().then(
      (value) => {
        release()
        resolve(value)
      },
      (error) => {
        release()
        reject(error)
      },
    )
  })
}

/** What layers around steps and runs come to, unless they do not come to an end after an abort. */
export function untilGrace<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const endSoon = (): void => {
      // Calls that end by their own grace come first.
      timer = setTimeout(() => reject(signal.reason), 2 * GRACE_MS)
    }
    if (signal.aborted) endSoon()
    else signal.addEventListener('abort', endSoon)
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', endSoon)
    })
  })
}
