import type { AgentDescriptor } from '../types/agent.js'
import type { ToolCall } from '../types/call.js'
import type { CallOptions } from '../types/call-options.js'
import type { ChatMessage } from '../types/chat.js'
import type { ToolExecutor } from '../types/executor.js'
import type { Mutable } from '../types/json.js'
import type { ResumeClaims, SuspensionSigner, ToolOutcome } from '../types/outcome.js'
import type { EventSink, Tracer } from '../types/run.js'
import type { AgentToolSpec, MetaField } from '../types/tool.js'
import type { AbortListeners, AbortTarget, Membership, RunningCalls } from './call-group.js'
import type { WaitingEnds } from './call-record.js'
import type { EventScope } from './events.js'
import { LayerScope, RunConfig } from './layer-scope.js'
import type { CallResumption, ParentRun } from './nesting.js'
import type { RunningCall, UpdateListener } from './running-call.js'
import { peek, ToolFailure } from './tool-failure.js'
import type { ServiceContext } from './tool-request.js'
import { type ToolTable, toolTable, wrappedTable } from './tool-table.js'

/** What calls need of their runtime. */
export interface CallContext extends ServiceContext {
  readonly listeners: AbortListeners
  readonly calls: RunningCalls
  readonly sinks: readonly EventSink[]
  readonly tracer: Tracer | undefined
  readonly claims: ResumeClaims
  /** Absent where suspensions are not signed. */
  readonly suspensions: SuspensionSigner | undefined
}

/** Where calls are counted: all that a runtime runs, or those of a step. */
export interface CallTracker {
  enter(running: AbortTarget): Membership
  leave(membership: Membership): void
}

/** What a run adds to its calls. */
export interface RunCallContext {
  readonly events: EventScope
  /** The calls of the same step. */
  readonly calls: CallTracker
  /** The ends of the suspended calls of the same step. */
  readonly waiting: WaitingEnds
  /** Told of each call that begins and ends; absent for one that outlives its run. */
  readonly open: { begin(): void; end(): void } | undefined
  /** In milliseconds; absent: no limit of the run's own. */
  readonly toolTimeoutMs: number | undefined
  /** What runs beneath the call take over. */
  readonly above: ParentRun
  /** What the call goes on with that waited for somebody. */
  readonly resumption: CallResumption | undefined
}

/** Where calls are executed: the tools with the layers of their own scope and of the agent's around them. */
export class CallTarget {
  readonly table: ToolTable
  readonly context: CallContext
  /** Absent for a toolset without an agent. */
  readonly agent: AgentDescriptor | undefined
  readonly scope: LayerScope
  readonly #base: ToolTable
  readonly #bySelection = new WeakMap<readonly AgentToolSpec[], CallTarget>()
  // `any`: who gives a configuration gives the env that it needs, by type.
  readonly #byConfig = new WeakMap<RunConfig<any>, CallTarget>()

  constructor(
    base: ToolTable,
    context: CallContext,
    agent: AgentDescriptor | undefined,
    scope: LayerScope = new LayerScope(),
  ) {
    this.table = wrappedTable(base, scope)
    this.context = context
    this.agent = agent
    this.scope = scope
    this.#base = base
  }

  /** The same tools with other layers of the agent's scope. */
  withScope(scope: LayerScope): CallTarget {
    return new CallTarget(this.#base, this.context, this.agent, scope)
  }

  /** These tools alone, of those that there are; made once for each selection. */
  offering(tools: readonly AgentToolSpec[]): CallTarget {
    if (tools === this.table.specs) return this
    const known = this.#bySelection.get(tools)
    if (known !== undefined) return known
    const offered = new Set(tools)
    const target = this.#over(toolTable(this.table.served.filter(({ tool }) => offered.has(tool.spec))))
    this.#bySelection.set(tools, target)
    return target
  }

  /** The same tools with the layers of the run scope around them; made once for each configuration. */
  under(config: RunConfig<any>): CallTarget {
    const known = this.#byConfig.get(config)
    if (known !== undefined) return known
    const target = new CallTarget(this.table, this.context, this.agent, config.parts.scope)
    this.#byConfig.set(config, target)
    return target
  }

  /** Tools whose layers are around them already. */
  #over(table: ToolTable): CallTarget {
    return new CallTarget(table, this.context, this.agent)
  }
}

/** Told of the outcome of a call, once, and not before what begins the call has returned. Never throws. */
export type CallListener = (outcome: ToolOutcome) => void

/** A call as the runtime can trust it, from what may come straight from a model's message or from plain JavaScript. */
export function readCall(call: ToolCall<unknown, MetaField>): ToolCall<unknown, MetaField> {
  try {
    return trusted(call)
  } catch {
    const [tool, sent, toolCallId, parentToolCallId] = CALL_FIELDS.map((field) => peek(call, field))
    return trusted({ tool, arguments: sent, toolCallId, parentToolCallId })
  }
}

const CALL_FIELDS = ['tool', 'arguments', 'toolCallId', 'parentToolCallId'] as const

/** What is no text names no tool and is no JSON; the usual failures follow. @throws what reading a field throws. */
function trusted(call: { readonly [Field in (typeof CALL_FIELDS)[number]]?: unknown }): ToolCall<unknown, MetaField> {
  const { tool, arguments: sent, toolCallId, parentToolCallId } = call
  const named = text(tool) ?? ''
  const json = text(sent) ?? ''
  const given: Mutable<ToolCall<unknown, MetaField>> =
    typeof toolCallId === 'string' ? { tool: named, arguments: json, toolCallId } : { tool: named, arguments: json }
  if (typeof parentToolCallId === 'string') given.parentToolCallId = parentToolCallId
  return given
}

/** Options as the runtime can trust them. */
export interface ResolvedOptions extends CallOptions {
  /** An empty object where none was given. */
  readonly env: unknown
  // `any`: the env that it needs is checked by type where it is given.
  readonly config: RunConfig<any> | undefined
  /**
   * A session is told once, when the executor is asked for the first time: the layers let the call pass, and unless the
   * executor decodes for itself, its arguments are decoded and checked. Never told of a call that fails, waits or is
   * answered before.
   */
  readonly begun?: ((running: RunningCall) => void) | undefined
  /** What is under way in a session, among which the call or the run is counted until it has ended. */
  readonly calls?: CallTracker | undefined
  /** Told of each update, and waited for: a session's intake. */
  readonly intake?: UpdateListener | undefined
  /** The session that a run is in. */
  readonly session?: RunSession | undefined
  /** What is wrong with the options; the call is refused then. */
  readonly fault?: unknown
}

/** What is given where the caller gives no capabilities. */
export const NO_ENV: object = Object.freeze({})

const NOTHING_GIVEN: ResolvedOptions = Object.freeze({ env: NO_ENV, config: undefined })

/** Options as the runtime can trust them: read once, a copy of its own. An own `undefined` counts as absent. */
export function resolveOptions(options: object | null | undefined): ResolvedOptions {
  try {
    return readOptions(options ?? {})
  } catch (fault) {
    return { ...NOTHING_GIVEN, fault: fault ?? new TypeError('the options could not be read') }
  }
}

/** @throws {ToolFailure} `internal`, naming the option, for one that is not of its type. What reading them throws passes. */
function readOptions(given: CallOptions & { readonly env?: unknown; readonly config?: unknown }): ResolvedOptions {
  const { runId, sessionId, turnId, parentToolCallId, labels, signal, deadline, onEvent, onUpdate, env, config } = given
  const { deepTracing } = given
  requireText('runId', runId)
  requireText('sessionId', sessionId)
  requireText('turnId', turnId)
  requireText('parentToolCallId', parentToolCallId)
  requireFunction('onEvent', onEvent)
  requireFunction('onUpdate', onUpdate)
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrongOption('signal', 'an AbortSignal')
  if (deadline !== undefined && (typeof deadline !== 'number' || Number.isNaN(deadline))) {
    throw wrongOption('deadline', 'a time in milliseconds since the epoch')
  }
  if (config !== undefined && !(config instanceof RunConfig)) {
    throw wrongOption('config', 'a run configuration made by runConfig()')
  }
  return {
    runId,
    sessionId,
    turnId,
    parentToolCallId,
    labels: givenLabels(labels, config?.parts.labels),
    signal,
    deadline,
    onEvent,
    onUpdate,
    deepTracing: deepTracing === true,
    env: env ?? NO_ENV,
    config,
  }
}

function givenLabels(
  labels: CallOptions['labels'],
  ofConfig: CallOptions['labels'],
): Readonly<Record<string, string>> | undefined {
  if ((labels ?? undefined) === undefined && ofConfig === undefined) return undefined
  const given = [...Object.entries(ofConfig ?? {}), ...Object.entries(labels ?? {})]
  const present = given.filter(([, label]) => label !== undefined)
  const wrong = present.find(([, label]) => typeof label !== 'string')
  if (wrong !== undefined) throw wrongOption(`labels.${wrong[0]}`, 'a text')
  return Object.freeze(Object.fromEntries(present))
}

/**
 * How long a call may take, in milliseconds: until its deadline, and no longer than the run lets a tool take;
 * `undefined`: as long as it likes.
 */
export function remainingTime(
  { deadline }: CallOptions,
  now: number,
  toolTimeoutMs: number | undefined,
): number | undefined {
  const untilDeadline = deadline === undefined || deadline === Number.POSITIVE_INFINITY ? undefined : deadline - now
  if (untilDeadline === undefined) return toolTimeoutMs
  return toolTimeoutMs === undefined ? untilDeadline : Math.min(untilDeadline, toolTimeoutMs)
}

function requireText(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') throw wrongOption(option, 'a text')
}

function requireFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw wrongOption(option, 'a function')
}

function wrongOption(option: string, expected: string): ToolFailure {
  return new ToolFailure(`The caller of this tool must give options.${option} as ${expected}.`, {
    reason: 'internal',
    action: 'finish',
  })
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** What a run needs of the session that it is in. */
export interface RunSession {
  /**
   * Begins a call of a streaming tool. Never throws. The listener is told of what the call came to before its tool began, or
   * that it was acknowledged: then the call goes on without its run.
   */
  begin(
    target: CallTarget,
    call: ToolCall<unknown, MetaField>,
    options: ResolvedOptions,
    frame: RunCallContext,
    listener: CallListener,
  ): void
  /**
   * Gives out what acknowledged calls of runs have come to, as messages, each once.
   *
   * @param accept given the messages at the moment that nobody else can have them any more; where it does not take them, they stay
   * @returns `undefined` where there is nothing; else resolves, also where nothing could be given out, when that is over
   */
  late(accept: (messages: readonly ChatMessage[]) => boolean): Promise<void> | undefined
}

/** An agent whose runs serve the calls of an executor. */
export interface ServingAgent {
  readonly descriptor: AgentDescriptor
  readonly table: ToolTable
}

const BENEATH: unique symbol = Symbol('beneath')

interface AgentExecutor extends ToolExecutor {
  readonly [BENEATH]: () => ServingAgent
}

/** An executor that says which agent serves its calls. */
export function executorServedBy(executor: ToolExecutor, beneath: () => ServingAgent): ToolExecutor {
  const over: AgentExecutor = { ...executor, [BENEATH]: beneath }
  return over
}

/**
 * The agent that serves the calls of an executor; `undefined` where none does.
 *
 * @throws what the application's function throws that gives the agent.
 */
export function agentServing(executor: ToolExecutor): ServingAgent | undefined {
  return isAgentExecutor(executor) ? executor[BENEATH]() : undefined
}

function isAgentExecutor(executor: ToolExecutor): executor is AgentExecutor {
  return BENEATH in executor
}
