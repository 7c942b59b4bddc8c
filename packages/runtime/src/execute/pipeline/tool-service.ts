import type { ToolService } from '../../contract/layer.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { ToolFailure } from '../failure/tool-failure.js'
import { NEST, type NestingRequest } from '../nest/call-nest.js'
import { NestedSuspension } from '../nest/nested-suspension.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { limitOf } from '../tool/call-signal.js'
import { memo } from '../tool/memo.js'
import type { Abortable } from '../tool/running-call.js'
import { abortFailure } from './abort-failure.js'
import { answeredOutcome } from './answered-outcome.js'
import { CallRequest } from './call-request.js'
import { completedOutcome } from './completed-outcome.js'
import { payloadOf, presentPayload } from './payload.js'

/**
 * The one path of every call, as the innermost service that layers wrap: payload adapter, decode, server-owned fields,
 * checks, executor, result codec, result adapter, envelope. Every failure of the call is an outcome.
 *
 * @throws {TypeError} for a request that no runtime made.
 */
export function toolService(tool: BoundTool): ToolService {
  return (request) => {
    if (!(request instanceof CallRequest)) {
      return Promise.reject(
        new TypeError('a layer passed on a request of its own making: use request.withMeta or request.withArguments'),
      )
    }
    const refusal = refusalOf(request)
    if (refusal !== undefined) return request.fail(refusal)
    request.running.begun = request.meta.attempt
    const { answer } = request
    if (answer !== undefined && answer !== 'approve') return answeredOutcome(tool, request, answer)
    const limit = limitOf(request.meta, request.running)
    if (limit.aborted !== undefined) return request.failAs(abortFailure(limit.aborted.reason), limit.aborted.reason)
    // One promise for all that may end the call: whatever the tool still does after an abort is heard by nobody.
    return new Promise((resolve) => {
      const fail = (error: unknown): void => {
        release?.()
        const { aborted } = limit
        resolve(aborted === undefined ? request.fail(error) : request.failAs(abortFailure(aborted.reason), error))
      }
      const answered = (answer: unknown): void => {
        try {
          const outcome = outcomeOf(tool, request, limit, answer)
          if (outcome instanceof Promise) outcome.then(end, fail)
          else end(outcome)
        } catch (error) {
          fail(error)
        }
      }
      const end = (outcome: ToolOutcome): void => {
        release?.()
        resolve(outcome)
      }
      const release = limit.whenAborted(fail)
      asked(tool, request, limit).then(answered, fail)
    })
  }
}

/** Why the tool is not run for a request: layers are code of others. */
function refusalOf({ running, meta }: CallRequest): Error | undefined {
  if (running.ended) {
    return new ToolFailure('The call has ended already.', {
      reason: 'cancelled',
      cause: new TypeError('a layer called next after its call had ended'),
    })
  }
  if (meta.attempt <= running.begun) {
    return new TypeError(`a layer called next again for attempt ${meta.attempt}: pass request.again() to try once more`)
  }
  if (running.updates > 0) return new TypeError('a layer called next again after the tool had emitted an update')
  return undefined
}

/** Asks the executor. A payload that is there at once is not waited for. */
function asked(tool: BoundTool, request: CallRequest, limit: Abortable): Promise<unknown> {
  try {
    if (tool.decodeInExecutor) return execute(tool, request, limit, laterPayload(tool, request))
    const present = presentPayload(tool, request)
    if (present !== undefined) return executePresent(tool, request, limit, present.payload)
  } catch (error) {
    return Promise.reject(error)
  }
  const payload = laterPayload(tool, request)
  return payload().then(() => execute(tool, request, limit, payload))
}

function laterPayload(tool: BoundTool, request: CallRequest): () => Promise<unknown> {
  return memo(() => payloadOf(tool, request))
}

/** @throws also at once what the executor throws. */
function executePresent(tool: BoundTool, request: CallRequest, limit: Abortable, payload: unknown): Promise<unknown> {
  if (tool.direct === undefined) {
    const present = Promise.resolve(payload)
    return execute(tool, request, limit, () => present)
  }
  throwIfAborted(limit)
  request.running.tried += 1
  return tool.direct.run(payload, request.meta)
}

/** @throws also at once what the executor throws. */
function execute(
  tool: BoundTool,
  request: CallRequest,
  limit: Abortable,
  payload: () => Promise<unknown>,
): Promise<unknown> {
  const { meta, running } = request
  throwIfAborted(limit)
  running.tried += 1
  const asked: NestingRequest = {
    tool: tool.spec,
    meta,
    json: () => request.json(),
    payload,
    emit: (update) => request.emit(update),
    [NEST]: request,
  }
  return Promise.resolve(tool.executor.execute(asked))
}

function outcomeOf(
  tool: BoundTool,
  request: CallRequest,
  limit: Abortable,
  answer: unknown,
): ToolOutcome | Promise<ToolOutcome> {
  throwIfAborted(limit)
  if (request.running.fault !== undefined) throw request.running.fault
  if (answer instanceof NestedSuspension) return request.suspendedBy(answer.run)
  return completedOutcome(tool, request, answer, () => request.cost())
}

function throwIfAborted({ aborted }: Abortable): void {
  if (aborted !== undefined) throw aborted.reason
}
