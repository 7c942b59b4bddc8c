/**
 * Runs until the signal, if there is one, is aborted: then rejects with the abort's reason, whatever becomes of the work. What the work
 * still does after that is heard by nobody.
 */
export async function untilAborted<Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> {
  if (signal === undefined) return work()
  signal.throwIfAborted()
  let onAbort: (() => void) | undefined
  try {
    return await new Promise<Value>((resolve, reject) => {
      onAbort = () => reject(signal.reason)
      signal.addEventListener('abort', onAbort)
      work().then(resolve, reject)
    })
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort)
  }
}
