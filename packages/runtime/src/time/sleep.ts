import { after } from './long-timer.js'

/**
 * Waits, unless a signal is aborted first.
 *
 * @returns whether the whole time has passed
 */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  if (milliseconds <= 0) return Promise.resolve(true)
  return new Promise((resolve) => {
    const stop = (): void => {
      stopTimer()
      resolve(false)
    }
    const stopTimer = after(milliseconds, () => {
      signal.removeEventListener('abort', stop)
      resolve(true)
    })
    signal.addEventListener('abort', stop, { once: true })
  })
}
