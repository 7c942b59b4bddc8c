import type { ToolService } from '../../contract/layer.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { ToolFailure } from '../failure/tool-failure.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { abortFailure } from './abort-failure.js'
import { answeredOutcome } from './answered-outcome.js'
import { CallRequest } from './call-request.js'
import { type OutcomeListener, ToolAttempt } from './tool-attempt.js'

/**
 * The one path of every call, as the innermost service that layers wrap: payload adapter, decode, server-owned fields,
 * checks, executor, result codec, result adapter, envelope. Every failure of the call is an outcome.
 *
 * @throws {TypeError} for a request that no runtime made.
 */
export function toolService(tool: BoundTool): ToolService {
  return (request) => {
    if (request instanceof CallRequest) return new Promise((ended) => runTool(tool, request, { ended }))
    return Promise.reject(
      new TypeError('a layer passed on a request of its own making: use request.withMeta or request.withArguments'),
    )
  }
}

/** The same for a request of the runtime's own, without a promise: the listener is told of the outcome, once. */
export function runTool(tool: BoundTool, request: CallRequest, listener: OutcomeListener): void {
  const refusal = refusalOf(request)
  if (refusal !== undefined) {
    listener.ended(request.fail(refusal))
    return
  }
  request.running.begun = request.attempt
  const { answer } = request
  if (answer !== undefined && answer !== 'approve') {
    listener.ended(answeredOutcome(tool, request, answer))
    return
  }
  const unapproved = request.unapproved()
  if (unapproved === undefined) attempt(tool, request, listener)
  else
    listener.ended(
      unapproved.then(
        (outcome) => outcome ?? attempted(tool, request),
        (error) => request.fail(error),
      ),
    )
}

function attempted(tool: BoundTool, request: CallRequest): Promise<ToolOutcome> {
  return new Promise((ended) => attempt(tool, request, { ended }))
}

function attempt(tool: BoundTool, request: CallRequest, listener: OutcomeListener): void {
  const { limit } = request
  const { aborted } = limit
  if (aborted === undefined) new ToolAttempt(tool, request, limit, listener).begin()
  else listener.ended(request.failAs(abortFailure(aborted.reason), aborted.reason))
}

/** Why the tool is not run for a request: layers are code of others. */
function refusalOf({ running, attempt }: CallRequest): Error | undefined {
  if (running.ended) {
    return new ToolFailure('The call has ended already.', {
      reason: 'cancelled',
      cause: new TypeError('a layer called next after its call had ended'),
    })
  }
  if (attempt <= running.begun) {
    return new TypeError(`a layer called next again for attempt ${attempt}: pass request.again() to try once more`)
  }
  if (running.updates > 0) return new TypeError('a layer called next again after the tool had emitted an update')
  return undefined
}
