/**
 * Waits, unless a signal is aborted first.
 *
 * @returns whether the whole time has passed
 */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const end = (passed: boolean): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      resolve(passed)
    }
    const stop = (): void => end(false)
    const timer = setTimeout(() => end(true), Math.max(0, milliseconds))
    signal.addEventListener('abort', stop)
  })
}
