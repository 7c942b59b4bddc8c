import type { CallOptions } from '../types/call-options.js'
import type { ChatMessage } from '../types/chat.js'
import type { Mutable } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { AgentToolSpec, MetaField, ToolCall } from '../types/tool.js'
import type { CallContext, ExecutionOptions, RunCallContext } from './call-context.js'
import { LayerScope } from './layer-scope.js'
import { RunConfig } from './run-config.js'
import { type ToolTable, toolTable } from './served-tool.js'
import { callerFailure, peek, type ToolFailure } from './tool-failure.js'

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
  requireOption('runId', runId, 'string')
  requireOption('sessionId', sessionId, 'string')
  requireOption('turnId', turnId, 'string')
  requireOption('parentToolCallId', parentToolCallId, 'string')
  requireOption('onEvent', onEvent, 'function')
  requireOption('onUpdate', onUpdate, 'function')
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw invalidOption('signal', 'an AbortSignal')
  if (deadline !== undefined && !(typeof deadline === 'number' && !Number.isNaN(deadline))) {
    throw invalidOption('deadline', 'a time in milliseconds since the epoch')
  }
  if (config !== undefined && !(config instanceof RunConfig)) {
    throw invalidOption('config', 'a run configuration made by runConfig()')
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
  throw invalidOption(name, type === 'string' ? 'a text' : 'a function')
}

function invalidOption(name: string, expected: string): ToolFailure {
  return callerFailure(`The caller of this tool must give options.${name} as ${expected}.`)
}
