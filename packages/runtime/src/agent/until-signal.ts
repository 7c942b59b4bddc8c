/** Work until a signal is aborted: then rejects with its reason, whatever becomes of the work. */
export function untilSignal<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason)
    signal.addEventListener('abort', stop)
    work()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}
