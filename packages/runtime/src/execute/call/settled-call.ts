import type { ToolOutcome } from '../../contract/outcome.js'
import { abortFailure } from '../pipeline/abort-failure.js'
import type { CallRequest } from '../pipeline/call-request.js'
import { brokenCall } from './broken-call.js'
import type { ObservedCall } from './observed-call.js'
import type { ServedTool } from './tool-table.js'

/** How long layers may take to come to an end of their own when a call or run was aborted, in milliseconds. */
export const GRACE_MS = 1_000

/**
 * The outcome of a call, exactly one: what the service answers, or, where a layer does not come to an end after an abort,
 * a failure in its place. A call that was aborted before it began asks no layer. Never rejects.
 *
 * @param observed told of the outcome at once, when the call takes no more updates
 */
export function settledCall(
  { service, isLayered }: Pick<ServedTool, 'service' | 'isLayered'>,
  request: CallRequest,
  observed: ObservedCall | undefined,
): Promise<ToolOutcome> {
  const { aborted } = request.running
  if (aborted !== undefined) return settledAs(abortedOutcome(request, aborted.reason), request, observed)
  try {
    const answer = service(request)
    // A tool without layers comes to its end at once when its call is aborted.
    return settledAs(isLayered ? withinGrace(answer, request) : answer, request, observed)
  } catch (error) {
    request.running.end()
    return Promise.resolve(broken(request, error))
  }
}

function settledAs(
  answer: Promise<ToolOutcome>,
  request: CallRequest,
  observed: ObservedCall | undefined,
): Promise<ToolOutcome> {
  const settle = (outcome: ToolOutcome): ToolOutcome => {
    request.running.end()
    try {
      return observed === undefined ? outcome : observed.ended(outcome)
    } catch (error) {
      return broken(request, error)
    }
  }
  return answer.then(settle, (error) => failed(request, error, settle))
}

function failed(
  request: CallRequest,
  error: unknown,
  settle: (outcome: ToolOutcome) => ToolOutcome,
): Promise<ToolOutcome> {
  return request.fail(error).then(settle, (cause) => {
    request.running.end()
    return broken(request, cause)
  })
}

/** What the layers answer, or a failure where they do not come to an end in time after an abort. */
function withinGrace(answer: Promise<ToolOutcome>, request: CallRequest): Promise<ToolOutcome> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    request.running.whenAborted((reason) => {
      timer = setTimeout(() => abortedOutcome(request, reason).then(resolve, reject), GRACE_MS)
    })
    const ended = (end: () => void): void => {
      clearTimeout(timer)
      request.running.end()
      end()
    }
    answer.then(
      (outcome) => ended(() => resolve(outcome)),
      (error) => ended(() => reject(error)),
    )
  })
}

function abortedOutcome(request: CallRequest, reason: unknown): Promise<ToolOutcome> {
  return request.failAs(abortFailure(reason), reason)
}

function broken({ call, arguments: rejected }: CallRequest, error: unknown): ToolOutcome {
  return brokenCall(call, rejected, error)
}
