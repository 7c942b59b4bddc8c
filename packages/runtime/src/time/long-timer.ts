/** The longest delay that a timer takes; a longer one fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/**
 * Does something after a time, however long.
 *
 * @param delayMs in milliseconds; at once where it is not positive, never where it is infinite
 * @param keepsAlive whether the process waits for it; default true
 * @returns takes that back
 */
export function after(delayMs: number, action: () => void, keepsAlive = true): () => void {
  if (delayMs <= 0) {
    action()
    return () => undefined
  }
  if (delayMs === Number.POSITIVE_INFINITY) return () => undefined
  const slice = Math.min(delayMs, LONGEST_TIMER_MS)
  let stop: () => void
  const timer = setTimeout(() => {
    if (slice < delayMs) stop = after(delayMs - slice, action, keepsAlive)
    else action()
  }, slice)
  if (!keepsAlive) unref(timer)
  stop = () => clearTimeout(timer)
  return () => stop()
}

/** Where timers are no objects (browsers), no process waits for them. */
function unref(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref()
}
