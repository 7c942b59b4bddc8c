import type { AbortListeners } from '../execute/call/abort-listeners.js'

/** The signal of a caller who waits for an answer: what goes on behind an acknowledgement is not the caller's any more. */
export function untilAnswered(
  caller: AbortSignal,
  listeners: AbortListeners,
): { readonly signal: AbortSignal; readonly letGo: () => void } {
  const controller = new AbortController()
  if (caller.aborted) controller.abort(caller.reason)
  const letGo = listeners.add(caller, () => controller.abort(caller.reason))
  return { signal: controller.signal, letGo }
}
