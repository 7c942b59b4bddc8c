import type { CallOptions } from '../types/call-options.js'
import type { ChatMessage } from '../types/chat.js'
import type { Mutable } from '../types/json.js'
import type { ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { AgentToolSpec, MetaField, ToolCall } from '../types/tool.js'
import {
  type CallContext,
  type ExecutionOptions,
  NESTED_RUN,
  NestedSuspension,
  type NestingRequest,
  type RunCallContext,
} from './call-context.js'
import { abortFailure } from './call-group.js'
import { CallRequest, completedOutcome } from './call-request.js'
import type { BoundTool } from './descriptors.js'
import { LayerScope, RunConfig } from './layer-scope.js'
import { payloadOf } from './payload.js'
import { drainStream, isStream } from './streams.js'
import type { Abortable } from './timers.js'
import { untilAborted } from './timers.js'
import { callerFailure, peek, ToolFailure } from './tool-failure.js'

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

/** Tools with the layers of their own scope and of the agent's, and the context of their calls. */
export class CallTarget {
  readonly table: ToolTable
  readonly context: CallContext
  /** Absent for a toolset without an agent. */
  readonly agent: AgentDescriptor | undefined
  readonly scope: LayerScope
  readonly #base: ToolTable
  readonly #bySelection = new WeakMap<readonly AgentToolSpec[], CallTarget>()
  // `any`: who passes a configuration passes the env that it needs, by type.
  readonly #byConfig = new WeakMap<RunConfig<any>, CallTarget>()

  constructor(
    base: ToolTable,
    context: CallContext,
    agent: AgentDescriptor | undefined,
    scope: LayerScope = new LayerScope(),
  ) {
    this.table = toolTable(
      base.served.map(({ tool, service, isLayered }) => {
        const wrapped = scope.wrapTool(service)
        return { tool, service: wrapped, isLayered: isLayered || wrapped !== service }
      }),
    )
    this.context = context
    this.agent = agent
    this.scope = scope
    this.#base = base
  }

  /** Returns the same tools with other layers of the agent's scope. */
  withScope(scope: LayerScope): CallTarget {
    return new CallTarget(this.#base, this.context, this.agent, scope)
  }

  /** Returns a selection of these tools; created once for each selection. */
  offering(tools: readonly AgentToolSpec[]): CallTarget {
    if (tools === this.table.specs) return this
    const known = this.#bySelection.get(tools)
    if (known !== undefined) return known
    const offered = new Set(tools)
    const table = toolTable(this.table.served.filter(({ tool }) => offered.has(tool.spec)))
    const target = new CallTarget(table, this.context, this.agent)
    this.#bySelection.set(tools, target)
    return target
  }

  /** Returns the same tools with the layers of the run scope around them; created once for each configuration. */
  under(config: RunConfig<any>): CallTarget {
    const known = this.#byConfig.get(config)
    if (known !== undefined) return known
    const target = new CallTarget(this.table, this.context, this.agent, config.parts.scope)
    this.#byConfig.set(config, target)
    return target
  }
}

/** A call whose result and needs are known by its tool alone. */
export type AnyCall = ToolCall<unknown, MetaField>

/** Returns a call whose fields are strings, from a model's message or from plain JavaScript. */
export function readCall(call: AnyCall): AnyCall {
  const stringOf = (name: keyof AnyCall): string | undefined => {
    const value = peek(call, name)
    return typeof value === 'string' ? value : undefined
  }
  // An empty string names no tool and is not JSON; the usual failures follow.
  const read: Mutable<AnyCall> = { tool: stringOf('tool') ?? '', arguments: stringOf('arguments') ?? '' }
  const toolCallId = stringOf('toolCallId')
  const parentToolCallId = stringOf('parentToolCallId')
  if (toolCallId !== undefined) read.toolCallId = toolCallId
  if (parentToolCallId !== undefined) read.parentToolCallId = parentToolCallId
  return read
}

/** Validated options of a call or a run. */
export interface ResolvedOptions extends ExecutionOptions {
  // `any`: the env that it needs is checked by type where it is passed.
  readonly config: RunConfig<any> | undefined
  /** The session of a run. */
  readonly session?: RunSession | undefined
  /** The error of invalid options; the call is rejected with it. */
  readonly error?: unknown
}

/** The part of a session that its runs use. */
export interface RunSession {
  /**
   * Starts a call of a streaming tool. Never rejects. Resolves with the outcome of a call that ends before its tool runs,
   * or with its acknowledgement: then the call goes on without its run.
   */
  start(target: CallTarget, call: AnyCall, options: ResolvedOptions, run: RunCallContext): Promise<ToolOutcome>
  /**
   * Hands out the outcomes of acknowledged calls, as messages, each once.
   *
   * @param accept receives the messages when nobody else can have them any more; if it returns false, they stay
   * @returns `undefined` if there are none; else resolves when that is over, also if nothing was handed out
   */
  late(accept: (messages: readonly ChatMessage[]) => boolean): Promise<void> | undefined
}

/** The env of a call whose caller passes none. */
export const NO_ENV: object = Object.freeze({})

/** Validates options and copies them, each read once. An own `undefined` counts as absent. */
export function resolveOptions(options: object | null | undefined): ResolvedOptions {
  try {
    return readOptions(options ?? {})
  } catch (error) {
    return { env: NO_ENV, config: undefined, error: error ?? new TypeError('the options could not be read') }
  }
}

/** @throws {ToolFailure} `internal`, naming the option, for one of the wrong type. Also throws what reading them throws. */
function readOptions(options: CallOptions & { readonly env?: unknown; readonly config?: unknown }): ResolvedOptions {
  const { runId, sessionId, turnId, parentToolCallId, labels, signal, deadline, onEvent, onUpdate, env, config } =
    options
  const { deepTracing } = options
  const ids = { runId, sessionId, turnId, parentToolCallId }
  for (const [name, id] of Object.entries(ids)) requireOption(name, id, typeof id === 'string', 'a text')
  requireOption('onEvent', onEvent, typeof onEvent === 'function', 'a function')
  requireOption('onUpdate', onUpdate, typeof onUpdate === 'function', 'a function')
  requireOption('signal', signal, signal instanceof AbortSignal, 'an AbortSignal')
  const isTime = typeof deadline === 'number' && !Number.isNaN(deadline)
  requireOption('deadline', deadline, isTime, 'a time in milliseconds since the epoch')
  if (config !== undefined && !(config instanceof RunConfig)) {
    throw callerFailure('The caller of this tool must give options.config as a run configuration made by runConfig().')
  }
  return {
    ...ids,
    labels: joinLabels(config?.parts.labels, labels),
    signal,
    deadline,
    onEvent,
    onUpdate,
    deepTracing: deepTracing === true,
    env: env ?? NO_ENV,
    config,
  }
}

function joinLabels(
  ofConfig: CallOptions['labels'],
  labels: CallOptions['labels'] | null,
): Readonly<Record<string, string>> | undefined {
  if ((labels ?? ofConfig) === undefined) return undefined
  const all = [...Object.entries(ofConfig ?? {}), ...Object.entries(labels ?? {})]
  for (const [name, label] of all) requireOption(`labels.${name}`, label, typeof label === 'string', 'a text')
  return Object.freeze(Object.fromEntries(all.filter(([, label]) => label !== undefined)))
}

function requireOption(name: string, value: unknown, isValid: boolean, expected: string): void {
  if (value === undefined || isValid) return
  throw callerFailure(`The caller of this tool must give options.${name} as ${expected}.`)
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
