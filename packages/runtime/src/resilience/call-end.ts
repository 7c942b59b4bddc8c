import type { ToolService } from '../contract/layer.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { ToolRequest } from '../contract/tool-request.js'
import { GRACE_MS } from '../execute/call/settled-call.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'
import { abortFailure } from '../execute/pipeline/abort-failure.js'

/**
 * What a service answers, whatever it does: what it throws is an outcome too, and where an inner layer does not heed that
 * the call was cancelled, the outcome is made in its place. So what is held for the time of a call is always given back.
 */
export function endOf<Env>(next: ToolService<Env>, request: ToolRequest<Env>): Promise<ToolOutcome> {
  const { signal } = request.meta
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', endLater)
    }
    const endLater = (): void => {
      timer = setTimeout(() => abortedOutcome(request).then(resolve, reject), GRACE_MS)
    }
    if (signal.aborted) endLater()
    else signal.addEventListener('abort', endLater)
    outcomeOf(next, request).finally(end).then(resolve, reject)
  })
}

/** The outcome of a call that was cancelled, or whose time was over, before its tool was asked. */
export function abortedOutcome(request: ToolRequest): Promise<ToolOutcome> {
  const cause: unknown = request.meta.signal.reason
  const { reason, message } = abortFailure(cause)
  return request.fail(
    reason === 'timeout'
      ? new ToolFailure(message, { reason, cause })
      : new ToolFailure(message, { reason: 'cancelled', cause }),
  )
}

async function outcomeOf<Env>(next: ToolService<Env>, request: ToolRequest<Env>): Promise<ToolOutcome> {
  try {
    return await next(request)
  } catch (error) {
    return request.fail(error)
  }
}
