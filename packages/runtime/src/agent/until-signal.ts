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
