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
import { payloadOf } from './payload.js'
import { untilAborted } from './until-aborted.js'

/**
 * The one path of every call, as the innermost service that layers wrap: payload adapter, decode, server-owned fields,
 * checks, executor, result codec, result adapter, envelope. Every failure of the call is an outcome.
 *
 * @throws {TypeError} for a request that no runtime made.
 */
export function toolService(tool: BoundTool): ToolService {
  return async (request) => {
    if (!(request instanceof CallRequest)) {
      throw new TypeError(
        'a layer passed on a request of its own making: use request.withMeta or request.withArguments',
      )
    }
    const refusal = refusalOf(request)
    if (refusal !== undefined) return request.fail(refusal)
    request.running.begun = request.meta.attempt
    const { answer } = request
    if (answer !== undefined && answer !== 'approve') return answeredOutcome(tool, request, answer)
    const limit = limitOf(request.meta, request.running)
    try {
      return await untilAborted(limit, () => runTool(tool, request, limit))
    } catch (error) {
      const { aborted } = limit
      return aborted === undefined ? request.fail(error) : request.failAs(abortFailure(aborted.reason), error)
    }
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

async function runTool(tool: BoundTool, request: CallRequest, limit: Abortable): Promise<ToolOutcome> {
  const { meta, running } = request
  const payload = memo(() => payloadOf(tool, request))
  if (!tool.decodeInExecutor) await payload()
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
  const answer = await tool.executor.execute(asked)
  throwIfAborted(limit)
  if (running.fault !== undefined) throw running.fault
  if (answer instanceof NestedSuspension) return request.suspendedBy(answer.run)
  return completedOutcome(tool, request, answer, () => request.cost())
}

function throwIfAborted({ aborted }: Abortable): void {
  if (aborted !== undefined) throw aborted.reason
}
