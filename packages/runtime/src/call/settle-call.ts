import type { ToolOutcome } from '../types/outcome.js'
import { internalFailure, type ObservedCall } from './call-record.js'
import { abortFailure, type OutcomeListener, runTool } from './pipeline.js'
import type { CallRequest } from './tool-request.js'
import type { ServedTool } from './tool-table.js'

/** How long layers may take to come to an end of their own when a call or run was aborted, in milliseconds. */
export const GRACE_MS = 1_000

/**
 * Brings a call to its outcome, exactly one: what the service answers, or, where a layer does not come to an end after an
 * abort, a failure in its place. A call that was aborted before it began asks no layer. Never throws.
 *
 * @param observed told of the outcome at once, when the call takes no more updates
 * @param listener told after it, and not before this returns
 */
export function settleCall(
  served: ServedTool,
  request: CallRequest,
  observed: ObservedCall | undefined,
  listener: (outcome: ToolOutcome) => void,
): void {
  try {
    begin(served, request, new Settlement(request, observed, listener))
  } catch (error) {
    Promise.resolve(broken(request, error)).then(listener)
  }
}

function begin({ tool, service, isLayered }: ServedTool, request: CallRequest, settlement: Settlement): void {
  const { aborted } = request.running
  if (aborted !== undefined) settlement.ended(abortedOutcome(request, aborted.reason))
  else if (isLayered) settlement.ended(withinGrace(service(request), request))
  // A tool without layers comes to its end at once when its call is aborted.
  else runTool(tool, request, settlement)
}

/** Ends a call when its outcome is there. */
class Settlement implements OutcomeListener {
  readonly #request: CallRequest
  readonly #observed: ObservedCall | undefined
  readonly #listener: (outcome: ToolOutcome) => void

  constructor(request: CallRequest, observed: ObservedCall | undefined, listener: (outcome: ToolOutcome) => void) {
    this.#request = request
    this.#observed = observed
    this.#listener = listener
  }

  ended(outcome: ToolOutcome | Promise<ToolOutcome>): void {
    if (outcome instanceof Promise) this.#later(outcome)
    else this.#listener(this.#settled(outcome, true))
  }

  #later(outcome: Promise<ToolOutcome>): void {
    const request = this.#request
    const settle = (ended: ToolOutcome): ToolOutcome => this.#settled(ended, false)
    outcome
      .then(settle, (error) => request.fail(error).then(settle, (cause) => broken(request, cause)))
      .then(this.#listener)
  }

  #settled(outcome: ToolOutcome, isNow: boolean): ToolOutcome {
    this.#request.running.end()
    try {
      return this.#observed === undefined ? outcome : this.#observed.ended(outcome, isNow)
    } catch (error) {
      return broken(this.#request, error)
    }
  }
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

function broken({ running, call, arguments: rejected }: CallRequest, error: unknown): ToolOutcome {
  running.end()
  return internalFailure(call, rejected, error)
}
