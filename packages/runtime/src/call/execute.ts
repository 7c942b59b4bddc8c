import { nearestNames } from '../schema/nearest.js'
import type { CallOptions, EnvOption, OptionsFor, WithoutOptions } from '../types/call-options.js'
import type { Mutable } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentDescriptor, MetaSource, ToolExecutor } from '../types/registration.js'
import type { AgentToolSpec, MetaField, NeedsOf, ResultOf, ToolCall, ToolCallMeta, ToolCallRef } from '../types/tool.js'
import { type ExecutionOptions, missingMeta, type RunCallContext } from './call-context.js'
import { CallRequest } from './call-request.js'
import {
  type AnyCall,
  type CallTarget,
  type ResolvedOptions,
  readCall,
  resolveOptions,
  type ToolTable,
} from './call-target.js'
import { classify } from './classify.js'
import type { BoundTool } from './descriptors.js'
import type { RunConfig } from './layer-scope.js'
import { internalFailure, ToolCallExecution } from './tool-call.js'
import { callerFailure, FIXED_MESSAGES, ToolFailure } from './tool-failure.js'

/**
 * Executes one call. Never rejects: whatever goes wrong is an outcome.
 *
 * @param call read already, see {@link readCall}
 * @param run absent for a call outside a run
 */
export async function startCall(
  target: CallTarget,
  call: AnyCall,
  options: ResolvedOptions,
  run?: RunCallContext,
): Promise<ToolOutcome> {
  try {
    const { table } = options.config === undefined ? target : target.under(options.config)
    const served = table.find(call.tool)
    const execution = newExecution(target, call, options, run)
    const { tool } = execution
    const refusal = refusalOf(target, execution, options)
    if (tool === undefined || served === undefined || refusal !== undefined) {
      execution.publishStart()
      return await execution.settle(() => rejected(execution, refusal))
    }
    const request = new CallRequest(execution, tool)
    execution.begin()
    execution.publishStart(() => request.decoded())
    return await execution.settle(() => execution.runLayers(served.service, request))
  } catch (error) {
    return internalFailure(callRef(call, {}, undefined, call.toolCallId ?? ''), call.arguments, error)
  }
}

/** The outcome of a call that is rejected without events. */
export function rejectCall(target: CallTarget, call: AnyCall, refusal: ToolFailure): ToolOutcome {
  return rejected(newExecution(target, readCall(call), { env: undefined }, undefined), refusal)
}

/** @throws if the clock or the source of ids fails. */
function newExecution(
  { table, context, agent }: CallTarget,
  call: AnyCall,
  options: ExecutionOptions,
  run: RunCallContext | undefined,
): ToolCallExecution {
  const { effects } = context
  const startedAt = effects.now()
  const tool = table.find(call.tool)?.tool
  const ref = callRef(call, options, tool?.id, call.toolCallId ?? effects.newId('toolCall'))
  return new ToolCallExecution({ ref, arguments: call.arguments, startedAt, tool, agent, context, options, run })
}

/** Returns the error of a call that must not start; `undefined` for one that may. */
function refusalOf({ context, table }: CallTarget, execution: ToolCallExecution, { error }: ResolvedOptions): unknown {
  if (error !== undefined) return error
  // A run in progress may come to its end.
  if (context.calls.closed && execution.run === undefined) return context.calls.refusal()
  const { tool, ref } = execution
  if (tool === undefined) return unknownTool(ref.tool, table)
  const missing = missingCallOptions(tool, execution)
  if (missing.length === 0) return undefined
  return callerFailure(`The caller of '${tool.id}' must give ${missing.join(', ')} to execute.`)
}

function rejected(execution: ToolCallExecution, cause: unknown): ToolOutcome {
  const { context } = execution
  return execution.failed(classify(cause, context.effects.now(), context), { cause })
}

/** Returns a call as outcomes name it. */
export function callRef(
  call: AnyCall,
  options: Pick<CallOptions, 'parentToolCallId'>,
  id: string | undefined,
  toolCallId: string,
): ToolCallRef {
  const parentToolCallId = call.parentToolCallId ?? options.parentToolCallId
  const ref: Mutable<ToolCallRef> = { tool: id ?? call.tool, toolCallId }
  if (parentToolCallId !== undefined) ref.parentToolCallId = parentToolCallId
  return Object.freeze(ref)
}

export const MAX_NEAR = 3

/** The failure of a call for an unknown tool, with near names in the form of the requested one. */
function unknownTool(name: string, { ids, toolNames }: ToolTable): ToolFailure {
  const dot = name.indexOf('.')
  // The agent may use the toolset under another name.
  const sameTool = dot < 0 ? [] : ids.filter((id) => id.slice(id.indexOf('.')) === name.slice(dot))
  const near = [...sameTool, ...nearestNames(name, dot < 0 ? toolNames : ids, MAX_NEAR)]
  const names = [...new Set(near)].slice(0, MAX_NEAR)
  return new ToolFailure(FIXED_MESSAGES.unknown_tool, { reason: 'unknown_tool', near: names })
}

/** Options of a call that needs none: a configuration whose layers need nothing, an env that is not read. */
type PlainOptions = CallOptions & { readonly config?: RunConfig | undefined; readonly env?: unknown }

/**
 * Bound tools, some of them in these namespaces of their design: result of a generated `register<Agent>`, and
 * `SessionRegistry.open` accepts as namespaces.
 *
 * @example
 * const catalogue: BoundToolset & InNamespaces<'shop'> = runtime.registerToolset(registration)
 */
export interface InNamespaces<out Namespace extends string> {
  /** Never present; carries the type. */
  readonly '~namespace'?: Namespace
}

/**
 * Tools that can be called; see {@link BoundToolset} and {@link BoundAgent}. `Env` names the capabilities that their layers
 * need.
 */
export abstract class BoundTools<in Env = unknown> {
  /** Makes `Env` count in assignability; never present. */
  readonly '~env'?: (env: Env) => void
  readonly #target: CallTarget

  constructor(target: CallTarget) {
    this.#target = target
  }

  /** The layered tools and the context of their calls; for the runtime. */
  get target(): CallTarget {
    return this.#target
  }

  /** The specs of the tools, in the order of the design; deeply frozen. */
  get specs(): readonly AgentToolSpec[] {
    return this.#target.table.specs
  }

  /**
   * Executes one call, made by a generated builder or from what a model sent (`tool` may then be a tool name). Never
   * rejects: an unknown tool, malformed arguments, an error of the service, a cancellation are outcomes. The options
   * are required exactly where the tool has server-owned fields that the caller must give, or where layers need an
   * `env`. Calls of several tools may be mixed: the outcome is then one of any of them.
   *
   * @example
   * const outcome = await support.execute(newGetOrderCall({ orderId: 'A-1001' }), { sessionId: 's-1' })
   * if (outcome.status === 'completed') outcome.result.data.total
   */
  execute<Call extends ToolCall<unknown, MetaField>, OwnEnv = Env>(
    call: WithoutOptions<Call, Exclude<NeedsOf<Call>, 'toolCallId'>, OwnEnv>,
    options?: PlainOptions,
  ): Promise<ToolOutcome<ResultOf<Call>>>
  execute<Call extends ToolCall<unknown, MetaField>, ConfigEnv = unknown>(
    call: Call,
    options: OptionsFor<NeedsOf<Call>> &
      EnvOption<Env & ConfigEnv> & { readonly config?: RunConfig<ConfigEnv> | undefined },
  ): Promise<ToolOutcome<ResultOf<Call>>>
  execute(call: any, options: object = {}): Promise<ToolOutcome<any>> {
    // `any`: the first signature takes a call or a type that no call has. The result codec of the tool checks the result.
    return startCall(this.#target, readCall(call), resolveOptions(options))
  }
}

/** A registered toolset: executes calls without any agent. */
export class BoundToolset<in Env = unknown> extends BoundTools<Env> {
  /** The name of the toolset, or of its use. */
  readonly name: string

  constructor(name: string, target: CallTarget) {
    super(target)
    this.name = name
  }
}

/** An agent whose runs serve the calls of an executor. */
export interface ServingAgent {
  readonly descriptor: AgentDescriptor
  readonly table: ToolTable
}

const SERVING_AGENT: unique symbol = Symbol('servingAgent')

/** Executors of agents name the agent. */
interface AgentExecutor extends ToolExecutor {
  readonly [SERVING_AGENT]?: () => ServingAgent
}

/** Returns an executor that names the agent which serves its calls. */
export function executorServedBy(executor: ToolExecutor, agent: () => ServingAgent): ToolExecutor {
  const served: AgentExecutor = { ...executor, [SERVING_AGENT]: agent }
  return served
}

/**
 * Returns the agent that serves the calls of an executor; `undefined` if none does.
 *
 * @throws what the application's function throws that returns the agent.
 */
export function agentServing(executor: AgentExecutor): ServingAgent | undefined {
  return executor[SERVING_AGENT]?.()
}

/** Meta fields that the runtime sets for each call of a run. */
const SET_IN_RUNS = { toolCallId: '', attempt: 1 } as const

/** Meta fields that it sets for each call of a nested run. */
const SET_IN_NESTED_RUNS = { ...SET_IN_RUNS, runId: '', parentToolCallId: '' } as const

/**
 * Returns the options that a run's caller did not pass and that fill server-owned fields, of the agent's tools and of those
 * of serving agents. Each with the tool that needs it.
 */
export function missingRunOptions({ served }: ToolTable, meta: RunMeta): readonly string[] {
  const seen = new Set<BoundTool>()
  const [own, nested] = [
    { ...meta, ...SET_IN_RUNS },
    { ...meta, ...SET_IN_NESTED_RUNS },
  ]
  const missing = served.flatMap(({ tool }) => missingOptions(tool, own, nested, seen))
  return missing.map(({ field, tool }) => `options.${field} (for ${tool.id})`)
}

/**
 * Returns the options that a call's caller did not pass: of its own tool and of the tools of the agent that serves it. Each
 * with the tool that needs it, unless that is the tool of the call.
 */
function missingCallOptions(called: BoundTool, source: MetaSource): readonly string[] {
  try {
    const isNested = agentServing(called.executor) !== undefined
    // Most tools need nothing: their meta is not created.
    if (called.serverOwned.length === 0 && !isNested) return []
    const { meta } = source
    const missing = missingOptions(called, meta, isNested ? { ...meta, ...SET_IN_NESTED_RUNS } : meta, new Set())
    return missing.map(({ field, tool }) => `options.${field}${tool === called ? '' : ` (for ${tool.id})`}`)
  } catch {
    // The application's function returns no agent: the call itself fails with its error.
    return []
  }
}

/**
 * Visits a tool and those of the agents that serve it, each once.
 *
 * @param nested the meta of calls of the serving agent
 */
function missingOptions(
  tool: BoundTool,
  meta: ToolCallMeta,
  nested: ToolCallMeta,
  seen: Set<BoundTool>,
): readonly { readonly field: MetaField; readonly tool: BoundTool }[] {
  if (seen.has(tool)) return []
  seen.add(tool)
  const inner = agentServing(tool.executor)?.table.served ?? []
  return [
    ...missingMeta(tool.spec.serverOwned, meta).map((field) => ({ field, tool })),
    ...inner.flatMap((served) => missingOptions(served.tool, nested, nested, seen)),
  ]
}
