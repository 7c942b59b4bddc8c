import type { CallOptions } from '../types/call-options.js'
import type { ChatMessage } from '../types/chat.js'
import type { Mutable } from '../types/json.js'
import type { RunSuspension, ToolOutcome } from '../types/outcome.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { AgentRun } from '../types/run.js'
import type { AgentToolSpec, MetaField, ToolCall } from '../types/tool.js'
import type { CallContext, ExecutionOptions } from './call-context.js'
import { LayerScope } from './layer-scope.js'
import type { RunCallContext } from './nested-run.js'
import { RunConfig } from './run-config.js'
import { type ToolTable, toolTable } from './served-tool.js'
import { callerFailure, peek, type ToolFailure } from './tool-failure.js'

/** The tool named `through` finds or calls the agent's tools that the model does not see. */
export interface ModelView {
  readonly tools: ReadonlySet<AgentToolSpec>
  readonly through: string
}

export class CallTarget {
  readonly table: ToolTable
  readonly context: CallContext
  readonly agent: AgentDescriptor | undefined
  readonly scope: LayerScope
  readonly #view: ModelView | undefined
  readonly through: string | undefined
  readonly #base: ToolTable
  readonly #bySelection = new WeakMap<readonly AgentToolSpec[], CallTarget>()
  readonly #byModelSelection = new WeakMap<readonly AgentToolSpec[], CallTarget>()
  // `any`: the types of `execute` and `run` require the `env` that the configuration needs.
  readonly #byConfig = new WeakMap<RunConfig<any>, CallTarget>()

  constructor(
    base: ToolTable,
    context: CallContext,
    agent: AgentDescriptor | undefined,
    scope: LayerScope = new LayerScope(),
    { view, through }: { readonly view?: ModelView | undefined; readonly through?: string } = {},
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
    this.#view = view
    this.through = through
    this.#base = base
  }

  withScope(scope: LayerScope): CallTarget {
    return new CallTarget(this.#base, this.context, this.agent, scope, { view: this.#view })
  }

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

  offeringToCalls(tools: readonly AgentToolSpec[]): CallTarget {
    const target = this.offering(tools)
    const { journal } = this.context
    return journal === undefined ? target : new CallTarget(target.table, journal.inner, this.agent)
  }

  withContext(context: CallContext): CallTarget {
    return new CallTarget(this.#base, context, this.agent, this.scope, { view: this.#view })
  }

  modelTools(tools: readonly AgentToolSpec[]): readonly AgentToolSpec[] {
    return this.#view === undefined ? tools : this.offeringToModel(tools).table.specs
  }

  offeringToModel(tools: readonly AgentToolSpec[]): CallTarget {
    const view = this.#view
    if (view === undefined) return this.offering(tools)
    const known = this.#byModelSelection.get(tools)
    if (known !== undefined) return known
    const table = toolTable(
      this.table.served.filter(({ tool: { spec } }) => tools.includes(spec) && view.tools.has(spec)),
    )
    const { through } = view
    const target = new CallTarget(table, this.context, this.agent, undefined, { through })
    this.#byModelSelection.set(tools, target)
    return target
  }

  under(config: RunConfig<any>): CallTarget {
    const known = this.#byConfig.get(config)
    if (known !== undefined) return known
    const target = new CallTarget(this.table, this.context, this.agent, config.parts.scope, { view: this.#view })
    this.#byConfig.set(config, target)
    return target
  }
}

export type AnyCall = ToolCall<unknown, MetaField>

/** Accepts any value, because models and plain JavaScript do not follow the type. */
export function readCall(call: AnyCall): AnyCall {
  // An empty string is neither a tool name nor JSON, so the call fails as usual.
  const read: Mutable<AnyCall> = { tool: stringIn(call, 'tool') ?? '', arguments: stringIn(call, 'arguments') ?? '' }
  const toolCallId = stringIn(call, 'toolCallId')
  const parentToolCallId = stringIn(call, 'parentToolCallId')
  if (toolCallId !== undefined) read.toolCallId = toolCallId
  if (parentToolCallId !== undefined) read.parentToolCallId = parentToolCallId
  return read
}

function stringIn(call: AnyCall, name: keyof AnyCall): string | undefined {
  const value = peek(call, name)
  return typeof value === 'string' ? value : undefined
}

export interface ResolvedOptions extends ExecutionOptions {
  // `any`: the types of `execute` and `run` require the `env` that the configuration needs.
  readonly config: RunConfig<any> | undefined
  readonly session?: RunSession | undefined
  readonly error?: unknown
}

export interface RunSession {
  /** Never rejects. If the tool runs, resolves with an acknowledgement, and the call continues in the session. */
  start(target: CallTarget, call: AnyCall, options: ResolvedOptions, run: RunCallContext): Promise<ToolOutcome>
  /**
   * Passes each outcome of a streaming call that ended after the end of its run to `accept`, only once.
   *
   * @param accept returns false to leave the outcomes undelivered
   * @returns a promise that resolves after the call of `accept`; `undefined` if no outcome is available
   */
  late(
    messages: readonly ChatMessage[],
    accept: (messages: readonly ChatMessage[]) => boolean,
  ): Promise<void> | undefined
  readonly conversation: RunConversation | undefined
}

/** The parameter `messages` always contains all messages of the run. */
export interface RunConversation {
  /**
   * @returns the instructions of the run, the earlier conversation and the input of the run
   * @throws if the input is not a valid conversation
   */
  start(messages: readonly ChatMessage[]): readonly ChatMessage[]
  /** Called instead of `start` if the run is resumed. */
  resume(suspension: RunSuspension): void
  /** Called before the calls of a step run. Rejects if the messages cannot be stored. The calls must not run after a rejection. */
  beforeCalls(messages: readonly ChatMessage[]): Promise<void>
  /** The conversation contains the message `answer` even if the current step never ends. */
  answered(answer: ChatMessage): void
  /** Never rejects. */
  afterStep(messages: readonly ChatMessage[]): Promise<void>
  /** Must be called for every run. Rejects if the session no longer belongs to this process. */
  end(run: Pick<AgentRun, 'status' | 'messages'>): Promise<void>
}

export const NO_ENV: object = Object.freeze({})

export function resolveOptions(options: object | null | undefined): ResolvedOptions {
  try {
    return readOptions(options ?? {})
  } catch (error) {
    return { env: NO_ENV, config: undefined, error: error ?? new TypeError('The options could not be read.') }
  }
}

function readOptions(options: CallOptions & { readonly env?: unknown; readonly config?: unknown }): ResolvedOptions {
  const { runId, sessionId, turnId, parentToolCallId, labels, signal, deadline, onEvent, onUpdate, env, config } =
    options
  const { deepTracing } = options
  requireOption('runId', runId, 'string')
  requireOption('sessionId', sessionId, 'string')
  requireOption('turnId', turnId, 'string')
  requireOption('parentToolCallId', parentToolCallId, 'string')
  requireOption('onEvent', onEvent, 'function')
  requireOption('onUpdate', onUpdate, 'function')
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalidOption('signal', 'an AbortSignal')
  if (deadline !== undefined && !(typeof deadline === 'number' && !Number.isNaN(deadline))) {
    throw invalidOption('deadline', 'a time in milliseconds since the Unix epoch')
  }
  if (config !== undefined && !(config instanceof RunConfig)) {
    throw invalidOption('config', 'a run configuration created by runConfig()')
  }
  return {
    runId,
    sessionId,
    turnId,
    parentToolCallId,
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
  for (const [name, label] of all) requireOption(`labels.${name}`, label, 'string')
  return Object.freeze(Object.fromEntries(all.filter(([, label]) => label !== undefined)))
}

function requireOption(name: string, value: unknown, type: 'string' | 'function'): void {
  if (value === undefined || typeof value === type) return
  throw invalidOption(name, type === 'string' ? 'a string' : 'a function')
}

function invalidOption(name: string, expected: string): ToolFailure {
  return callerFailure(`The caller of this tool must pass options.${name} as ${expected}.`)
}
