import { after } from '../../time/long-timer.js'
import type { RunningCall } from '../tool/running-call.js'
import type { AbortListeners } from './abort-listeners.js'

/** What may end a call early. */
export interface CallLimits {
  /** The caller's signal. */
  readonly caller: AbortSignal | undefined
  /** How long the call may still take, in milliseconds; absent: for ever. */
  readonly remainingMs: number | undefined
}

/**
 * Lets the caller's signal and the deadline abort a call. The reason of the abort is the caller's own, or a
 * `TimeoutError`. Not `AbortSignal.any`, which on Node 20 holds on to signals of ended calls.
 *
 * @returns `undefined` where nothing limits the call; else lets go of the caller's signal and of the timer, when the call has ended
 */
export function limitCall(
  running: RunningCall,
  limits: CallLimits,
  listeners: AbortListeners,
): (() => void) | undefined {
  return limits.caller === undefined && limits.remainingMs === undefined
    ? undefined
    : limited(running, limits, listeners)
}

function limited(running: RunningCall, { caller, remainingMs }: CallLimits, listeners: AbortListeners): () => void {
  if (caller?.aborted) running.abort(caller.reason)
  const stopListening = caller && listeners.add(caller, () => running.abort(caller.reason))
  const stopTimer = remainingMs === undefined ? undefined : after(remainingMs, () => running.abort(timeoutError()))
  return () => {
    stopListening?.()
    stopTimer?.()
  }
}

function timeoutError(): DOMException {
  return new DOMException('the deadline of the call has passed', 'TimeoutError')
}
