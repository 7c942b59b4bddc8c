import type { ToolService } from '../../contract/layer.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { abortFailure } from '../pipeline/abort-failure.js'
import type { CallRequest } from '../pipeline/call-request.js'

/** How long layers may take to come to an end of their own when a call was aborted, in milliseconds. */
const GRACE_MS = 1_000

/**
 * The outcome of a call, exactly one: what the service answers, or, where a layer does not come to an end after an abort,
 * a failure in its place. Rejects only where the runtime's own effects fail.
 */
export function settledCall(service: ToolService, request: CallRequest): Promise<ToolOutcome> {
  const { running } = request
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = (outcome: ToolOutcome): void => {
      running.ended = true
      clearTimeout(timer)
      resolve(outcome)
    }
    const endLater = (reason: unknown): void => {
      timer = setTimeout(() => request.failAs(abortFailure(reason), reason).then(settle, reject), GRACE_MS)
    }
    if (running.aborted === undefined) running.whenAborted(endLater)
    else endLater(running.aborted.reason)
    service(request)
      .catch((error) => request.fail(error))
      .then(settle, reject)
  })
}
