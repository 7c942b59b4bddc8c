import type { AbortListeners } from './abort-listeners.js'

/** The longest delay that a timer takes; a longer one fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/** The signal of one call: aborted by the caller or by the deadline, whichever comes first. */
export interface CallSignal {
  /** Absent where nobody can end the call early. */
  readonly signal: AbortSignal | undefined
  /** Lets go of the caller's signal and of the timer; the call has ended. */
  release(): void
}

/** What may end a call early. */
export interface CallLimits {
  /** The caller's signal. */
  readonly caller: AbortSignal | undefined
  /** How long the call may still take, in milliseconds; absent: for ever. */
  readonly remainingMs: number | undefined
}

/**
 * Joins the caller's signal and the deadline to a signal of the call's own, so that what listens to it goes with it.
 * The reason of the abort is the caller's own, or a `TimeoutError`. Not `AbortSignal.any`, which on Node 20 holds on to
 * signals of ended calls.
 */
export function callSignal({ caller, remainingMs }: CallLimits, listeners: AbortListeners): CallSignal {
  if (caller === undefined && remainingMs === undefined) return { signal: undefined, release: () => undefined }
  const controller = new AbortController()
  if (caller?.aborted) controller.abort(caller.reason)
  const stopListening = caller && listeners.add(caller, () => controller.abort(caller.reason))
  const stopTimer = remainingMs === undefined ? undefined : after(remainingMs, () => controller.abort(timeoutError()))
  return {
    signal: controller.signal,
    release: () => {
      stopListening?.()
      stopTimer?.()
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
