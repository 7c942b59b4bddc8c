/** The longest delay that a timer takes; a longer one fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/** The signal of one call: aborted by the caller or by the deadline, whichever comes first. */
export interface CallSignal {
  /** Absent where nobody can end the call early. */
  readonly signal: AbortSignal | undefined
  /** Lets go of the caller's signal and of the timer; the call has ended. */
  release(): void
}

/**
 * Joins the caller's signal and the deadline. The reason of the abort is the caller's own, or a `TimeoutError`.
 * Not `AbortSignal.any`, which on Node 20 holds on to signals of ended calls.
 *
 * @param remainingMs how long the call may still take; absent: for ever
 */
export function callSignal(caller: AbortSignal | undefined, remainingMs: number | undefined): CallSignal {
  if (remainingMs === undefined) return { signal: caller, release: () => undefined }
  const controller = new AbortController()
  const onAbort = (): void => controller.abort(caller?.reason)
  if (caller?.aborted) controller.abort(caller.reason)
  else caller?.addEventListener('abort', onAbort, { once: true })
  const stopTimer = after(remainingMs, () => controller.abort(timeoutError()))
  return {
    signal: controller.signal,
    release: () => {
      caller?.removeEventListener('abort', onAbort)
      stopTimer()
    },
  }
}

function after(delayMs: number, action: () => void): () => void {
  if (delayMs <= 0) {
    action()
    return () => undefined
  }
  const slice = Math.min(delayMs, LONGEST_TIMER_MS)
  let stop: () => void
  const timer = setTimeout(() => {
    if (slice < delayMs) stop = after(delayMs - slice, action)
    else action()
  }, slice)
  stop = () => clearTimeout(timer)
  return () => stop()
}

function timeoutError(): DOMException {
  return new DOMException('the deadline of the call has passed', 'TimeoutError')
}
