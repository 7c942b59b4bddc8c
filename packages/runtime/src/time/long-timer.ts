/** The longest delay that a timer takes; a longer one fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647

/**
 * Does something after a time, however long.
 *
 * @param delayMs in milliseconds; at once where it is not positive, never where it is infinite
 * @returns takes that back
 */
export function after(delayMs: number, action: () => void): () => void {
  if (delayMs <= 0) {
    action()
    return () => undefined
  }
  if (delayMs === Number.POSITIVE_INFINITY) return () => undefined
  const slice = Math.min(delayMs, LONGEST_TIMER_MS)
  let stop: () => void
  const timer = setTimeout(() => {
    if (slice < delayMs) stop = after(delayMs - slice, action)
    else action()
  }, slice)
  stop = () => clearTimeout(timer)
  return () => stop()
}
