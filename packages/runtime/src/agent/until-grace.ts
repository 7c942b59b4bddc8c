import { GRACE_MS } from '../execute/call/settled-call.js'

/** What layers around steps and runs come to, unless they do not come to an end after an abort. */
export function untilGrace<Value>(signal: AbortSignal, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const endSoon = (): void => {
      // Calls that end by their own grace come first.
      timer = setTimeout(() => reject(signal.reason), 2 * GRACE_MS)
    }
    if (signal.aborted) endSoon()
    else signal.addEventListener('abort', endSoon)
    work.then(resolve, reject).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', endSoon)
    })
  })
}
