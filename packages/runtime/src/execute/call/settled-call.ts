import type { ToolService } from '../../contract/layer.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { abortFailure } from '../pipeline/abort-failure.js'
import type { CallRequest } from '../pipeline/call-request.js'
import type { Ended } from './observed-call.js'

/** How long layers may take to come to an end of their own when a call or run was aborted, in milliseconds. */
export const GRACE_MS = 1_000

/**
 * The outcome of a call, exactly one: what the service answers, or, where a layer does not come to an end after an abort,
 * a failure in its place. A call that was aborted before it began asks no layer. Rejects only where the runtime's own
 * effects fail.
 *
 * @param ended told of the outcome at once, when the call takes no more updates
 */
export function settledCall(service: ToolService, request: CallRequest, ended: Ended): Promise<ToolOutcome> {
  const { running } = request
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = (outcome: ToolOutcome): void => {
      if (running.ended) return
      clearTimeout(timer)
      running.end()
      try {
        resolve(ended(outcome))
      } catch (error) {
        reject(error)
      }
    }
    const fail = (error: unknown): void => {
      clearTimeout(timer)
      running.end()
      reject(error)
    }
    const failAs = (reason: unknown): unknown => request.failAs(abortFailure(reason), reason).then(settle, fail)
    if (running.aborted !== undefined) {
      failAs(running.aborted.reason)
      return
    }
    running.whenAborted((reason) => {
      timer = setTimeout(failAs, GRACE_MS, reason)
    })
    try {
      service(request).then(settle, (error) => request.fail(error).then(settle, fail))
    } catch (error) {
      fail(error)
    }
  })
}
