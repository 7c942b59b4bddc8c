import type { ToolService } from '../../contract/layer.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { abortFailure } from '../pipeline/abort-failure.js'
import type { CallRequest } from '../pipeline/call-request.js'

/** How long layers may take to come to an end of their own when a call or run was aborted, in milliseconds. */
export const GRACE_MS = 1_000

/**
 * The outcome of a call, exactly one: what the service answers, or, where a layer does not come to an end after an abort,
 * a failure in its place. A call that was aborted before it began asks no layer. Rejects only where the runtime's own
 * effects fail.
 */
export function settledCall(service: ToolService, request: CallRequest): Promise<ToolOutcome> {
  const { running } = request
  if (running.aborted !== undefined) {
    const { reason } = running.aborted
    return request.failAs(abortFailure(reason), reason)
  }
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    running.whenAborted((reason) => {
      timer = setTimeout(() => request.failAs(abortFailure(reason), reason).then(resolve, reject), GRACE_MS)
    })
    const settle = (outcome: ToolOutcome): void => {
      clearTimeout(timer)
      resolve(outcome)
    }
    service(request).then(settle, (error) => request.fail(error).then(settle, reject))
  })
}
