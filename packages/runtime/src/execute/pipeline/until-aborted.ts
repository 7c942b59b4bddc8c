import type { Abortable } from '../tool/running-call.js'

/**
 * Runs until it is aborted: then rejects with the abort's reason, whatever becomes of the work. What the work still does
 * after that is heard by nobody.
 */
export function untilAborted<Value>(limit: Abortable, work: () => Promise<Value>): Promise<Value> {
  if (limit.aborted !== undefined) return Promise.reject(limit.aborted.reason)
  return new Promise((resolve, reject) => {
    const release = limit.whenAborted(reject)
    const done = work()
    done.then(resolve, reject)
    if (release !== undefined) done.then(release, release)
  })
}
