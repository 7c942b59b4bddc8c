import type { ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import { abortFailure } from './call-group.js'
import { CallRequest } from './call-request.js'
import { NESTED_RUN, NestedSuspension, type NestingRequest } from './nested-run.js'
import { completedOutcome } from './outcomes.js'
import { payloadOf } from './payload.js'
import { drainStream, isStream } from './streams.js'
import { type Abortable, untilAborted } from './timers.js'
import { ToolFailure } from './tool-failure.js'

/** A tool with its layered service. */
export interface ServedTool {
  readonly tool: BoundTool
  readonly service: ToolService<any> // `any`: the env is checked by type where calls start
  /** True if the tool has layers. */
  readonly isLayered: boolean
}

/** The tools that one agent, or one toolset without an agent, may call. */
export interface ToolTable {
  readonly served: readonly ServedTool[]
  readonly specs: readonly AgentToolSpec[]
  /** Returns a tool by its id, else by its tool name. */
  find(name: string): ServedTool | undefined
  readonly ids: readonly string[]
  readonly toolNames: readonly string[]
}

/** Builds the table of tools whose names are unique already. */
export function toolTable(served: readonly ServedTool[]): ToolTable {
  const byId = new Map(served.map((entry) => [entry.tool.id as string, entry]))
  const byToolName = new Map(served.map((entry) => [entry.tool.spec.toolName, entry]))
  // An id precedes a tool name.
  const byName = new Map([...byToolName, ...byId])
  return Object.freeze({
    served,
    specs: Object.freeze(served.map((entry) => entry.tool.spec)),
    find: (name: string) => byName.get(name),
    ids: [...byId.keys()],
    toolNames: [...byToolName.keys()],
  })
}

/**
 * The path of every call behind its layers: payload adapter, decode, server-owned fields, checks, executor, result codec,
 * result adapter, envelope. Every failure of the call is an outcome.
 *
 * @throws {TypeError} for a request that no runtime made.
 */
function toolService(tool: BoundTool): ToolService {
  return async (request) => {
    if (!(request instanceof CallRequest)) {
      throw new TypeError(
        'a layer passed on a request of its own making: use request.withMeta or request.withArguments',
      )
    }
    try {
      requireNewAttempt(request)
      request.execution.attempt = request.attempt
      const { answer } = request
      if (answer !== undefined && answer !== 'approve') return await request.answered(answer)
      const unapproved = await request.unapproved()
      if (unapproved !== undefined) return unapproved
    } catch (error) {
      return request.fail(error)
    }
    const { limit } = request
    try {
      return await untilAborted(limit, () => runTool(tool, request, limit))
    } catch (error) {
      const { aborted } = limit
      return aborted === undefined ? request.fail(error) : request.failAs(abortFailure(aborted.reason), error)
    }
  }
}

export function servedTool(tool: BoundTool, wrap: (service: ToolService) => ToolService<any>): ServedTool {
  const innermost = toolService(tool)
  const service = wrap(innermost)
  return { tool, service, isLayered: service !== innermost }
}

/** @throws {Error} if a layer must not run the tool with this request. */
function requireNewAttempt({ execution, attempt, emitted }: CallRequest): void {
  if (execution.ended) {
    throw new ToolFailure('The call has ended already.', {
      reason: 'cancelled',
      cause: new TypeError('a layer called next after its call had ended'),
    })
  }
  if (attempt <= execution.attempt) {
    throw new TypeError(`a layer called next again for attempt ${attempt}: pass request.again() to try once more`)
  }
  if (emitted) throw new TypeError('a layer called next again after the tool had emitted an update')
}

/** Runs the tool once. After an abort nobody waits for it: the executor does not start, and a late stream is closed. */
async function runTool(tool: BoundTool, request: CallRequest, limit: Abortable): Promise<ToolOutcome> {
  const { execution } = request
  let decoded: Promise<unknown> | undefined
  const payload = (): Promise<unknown> => {
    if (decoded === undefined) {
      decoded = payloadOf(tool, request)
      // Those who wait receive an error; an executor that does not wait must not bring the process down.
      decoded.catch(() => undefined)
    }
    return decoded
  }
  if (!tool.decodeInExecutor) await payload()
  throwIfAborted(limit)
  execution.execute()
  const executorRequest: NestingRequest = {
    tool: tool.spec,
    meta: request.meta,
    json: () => request.json(),
    payload,
    emit: (update) => request.emit(update),
    [NESTED_RUN]: () => request.nestedRun(),
  }
  let result: unknown = await tool.executor.execute(executorRequest)
  // A generator may hand over to another.
  while (isStream(result)) result = await drainStream(result, { tool, request, limit })
  throwIfAborted(limit)
  if (execution.updateError !== undefined) throw execution.updateError
  if (result instanceof NestedSuspension) return request.suspendedBy(result.run)
  return request.reached(await completedOutcome(tool, request, result))
}

function throwIfAborted({ aborted }: Abortable): void {
  if (aborted !== undefined) throw aborted.reason
}
