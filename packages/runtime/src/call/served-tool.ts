import type { JsonText } from '../types/json.js'
import type { ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import { abortFailure } from './call-group.js'
import { CallRequest, requireCallRequest } from './call-request.js'
import { serving } from './layer-guard.js'
import {
  ElicitationSuspension,
  NESTED_RUN,
  type NestedRunContext,
  NestedSuspension,
  type NestingRequest,
} from './nested-run.js'
import { completedOutcome } from './outcomes.js'
import { payloadOf } from './payload.js'
import { drainStream, isStream } from './streams.js'
import { type Abortable, untilAborted } from './timers.js'
import { ToolFailure } from './tool-failure.js'

export interface ServedTool {
  readonly tool: BoundTool
  readonly service: ToolService<any> // `any`: TypeScript checks `env` where calls start
  readonly isLayered: boolean
}

export interface ToolTable {
  readonly served: readonly ServedTool[]
  readonly specs: readonly AgentToolSpec[]
  find(name: string): ServedTool | undefined
  readonly ids: readonly string[]
  readonly toolNames: readonly string[]
}

export function toolTable(served: readonly ServedTool[]): ToolTable {
  const byId = new Map(served.map((entry) => [entry.tool.id as string, entry]))
  const byToolName = new Map(served.map((entry) => [entry.tool.spec.toolName, entry]))
  // An id takes precedence over an equal tool name.
  const byName = new Map([...byToolName, ...byId])
  return Object.freeze({
    served,
    specs: Object.freeze(served.map((entry) => entry.tool.spec)),
    find: (name: string) => byName.get(name),
    ids: [...byId.keys()],
    toolNames: [...byToolName.keys()],
  })
}

function toolService(tool: BoundTool): ToolService {
  return (received) => {
    try {
      const request = requireCallRequest(received)
      try {
        requireNewAttempt(request)
        request.execution.attempt = request.attempt
        const { answer } = request
        const isRejected = answer !== undefined && answer !== 'approve'
        const check = isRejected ? request.answered(answer) : request.admission()
        // Not an async function, because most calls need no check.
        return check === undefined ? admitted(tool, request) : checked(tool, request, check)
      } catch (error) {
        return request.fail(error)
      }
    } catch (error) {
      return Promise.reject(error)
    }
  }
}

async function checked(
  tool: BoundTool,
  request: CallRequest,
  check: Promise<ToolOutcome | CallRequest>,
): Promise<ToolOutcome> {
  try {
    const verdict = await check
    return verdict instanceof CallRequest ? await admitted(tool, verdict) : verdict
  } catch (error) {
    return request.fail(error)
  }
}

function admitted(tool: BoundTool, request: CallRequest): Promise<ToolOutcome> {
  const { execution, limit } = request
  execution.approval = request.approval
  execution.denial = undefined
  request.requirePseudonyms()
  const recover = (error: unknown): Promise<ToolOutcome> => {
    const { aborted } = limit
    return aborted === undefined ? request.fail(error) : request.failAs(abortFailure(aborted.reason), error)
  }
  return untilAborted(limit, () => runTool(tool, request, limit), 0, recover)
}

export function servedTool(tool: BoundTool, wrap: (service: ToolService) => ToolService<any>): ServedTool {
  const innermost = serving(toolService(tool), tool.spec)
  const service = wrap(innermost)
  return { tool, service, isLayered: service !== innermost }
}

function requireNewAttempt({ execution, attempt, emitted }: CallRequest): void {
  if (execution.ended) {
    throw new ToolFailure('The call has already ended.', {
      reason: 'cancelled',
      cause: new TypeError('A layer called next after its call had ended.'),
    })
  }
  if (attempt <= execution.attempt) {
    throw new TypeError(`A layer called next again for attempt ${attempt}. Pass request.again() for another attempt.`)
  }
  if (emitted) throw new TypeError('A layer called next again after the tool had emitted an update.')
}

/** The key is an enumerable symbol, so that a copy of the request also contains the call. */
const CALL: unique symbol = Symbol('call')

/**
 * All members are properties of the object, because executors destructure and copy requests. An object literal with symbols as keys would be slower.
 */
class ExecutorCall {
  readonly tool: AgentToolSpec
  readonly [CALL]: CallRequest
  readonly json: () => Promise<JsonText>
  readonly payload: () => Promise<unknown>
  readonly emit: (update: unknown) => Promise<void>
  readonly [NESTED_RUN]: () => NestedRunContext

  constructor(tool: BoundTool, request: CallRequest, payload: () => Promise<unknown>) {
    // V8 allocates functions that code directly assigns to a property in its old space. There, they would keep the memory of each call until a full
    // garbage collection.
    const json = (): Promise<JsonText> => request.json()
    const emit = (update: unknown): Promise<void> => request.emit(update)
    const nestedRun = (): NestedRunContext => request.nestedRun()
    this.tool = tool.spec
    this[CALL] = request
    this.json = json
    this.payload = payload
    this.emit = emit
    this[NESTED_RUN] = nestedRun
    Object.defineProperty(this, 'meta', ExecutorCall.#lazyMeta)
  }

  /**
   * Creates the metadata at the first read, because most executors of services do not read the metadata, and its creation takes 6 % of the time of a
   * call. All requests share this getter, because creating a getter per request would be slow.
   */
  static readonly #lazyMeta: PropertyDescriptor & ThisType<ExecutorCall> = {
    get() {
      return this[CALL].meta
    },
    enumerable: true,
  }
}

async function runTool(tool: BoundTool, request: CallRequest, limit: Abortable): Promise<ToolOutcome> {
  const { execution } = request
  let promised: Promise<unknown> | undefined
  if (!tool.decodeInExecutor) {
    const decoded = payloadOf(tool, request)
    promised = Promise.resolve(decoded)
    if (decoded instanceof Promise) await decoded
  }
  const payload = (): Promise<unknown> => {
    if (promised === undefined) {
      promised = new Promise((resolve) => resolve(payloadOf(tool, request)))
      // Prevents an unhandled rejection if the executor does not await the payload.
      promised.catch(() => undefined)
    }
    return promised
  }
  throwIfAborted(limit)
  const { confirm } = execution
  if (confirm !== undefined) {
    await confirm()
    throwIfAborted(limit)
  }
  execution.execute()
  let result: unknown
  try {
    result = await tool.executor.execute(new ExecutorCall(tool, request, payload) as unknown as NestingRequest)
    // The result of a stream can be another stream, which is then read too.
    while (isStream(result)) result = await drainStream(result, { tool, request, limit })
  } finally {
    execution.running -= 1
  }
  throwIfAborted(limit)
  if (execution.updateError !== undefined) throw execution.updateError
  if (result instanceof NestedSuspension) return request.suspendedBy(result.run)
  if (result instanceof ElicitationSuspension) return request.suspendedWith(result.elicitation)
  const outcome = completedOutcome(tool, request, result)
  return request.reached(outcome instanceof Promise ? await outcome : outcome)
}

function throwIfAborted({ aborted }: Abortable): void {
  if (aborted !== undefined) throw aborted.reason
}
