import type { CallOptions, EnvOption, NoOptions, OptionsFor, WithoutOptions } from '../types/call-options.js'
import type { Answers, CallSuspension, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, FailuresOf, NeedsOf, ResultOf, RuntimeField, ToolCall } from '../types/tool.js'
import { type CallTarget, readCall, resolveOptions } from './call-target.js'
import { continueCall, startCall } from './execute.js'
import { nestedSpecs } from './required-options.js'
import type { RunConfig } from './run-config.js'

/**
 * Options of a call or run. `env` must fit the layers of the tools (`Env`) and of `config` (`ConfigEnv`). A caller can omit the options if `OwnEnv`
 * requires no `env` and `Fields` contains no option such as `sessionId`.
 */
export type OptionsWithEnv<Options, Env, ConfigEnv, OwnEnv, Fields = never> =
  | (Options & EnvOption<Env & ConfigEnv> & { readonly config?: RunConfig<ConfigEnv> | undefined })
  | NoOptions<Fields, OwnEnv>

/**
 * Adds the namespaces (names of groups of toolsets) of the design to the type of an agent or a toolset. Generated `register<Agent>`
 * functions return an agent of this type. With this type, TypeScript checks the option `namespaces` of `SessionRegistry.open`.
 *
 * @example
 * const catalogue: BoundToolset & InNamespaces<'shop'> = runtime.registerToolset(registration)
 */
export interface InNamespaces<out Namespace extends string> {
  /** Property that exists only in the type. */
  readonly '~namespace'?: Namespace
}

/**
 * Adds the types of tools to the type of their agent or toolset. `Tools` maps tool names to descriptors. Generated `register<Agent>`
 * functions return an agent of this type. With this type, `aiSdkTools` returns tools with the inputs and outputs of the design.
 *
 * @example
 * const catalogue: BoundToolset & WithTools<{ catalogue_search: typeof catalogue.search }> = runtime.registerToolset(registration)
 */
export interface WithTools<out Tools> {
  /** Property that exists only in the type. */
  readonly '~tools'?: Tools
}

/** Descriptors of a toolset by tool name. A tool name consists of a prefix and the name in the design, for example `orders_getOrder`. */
export type PrefixedTools<Prefix extends string, Descriptors> = {
  readonly [Name in keyof Descriptors as Name extends string ? `${Prefix}${Name}` : never]: Descriptors[Name]
}

/** `Env` is the type of the `env` option that the layers of the tools need. */
export abstract class BoundTools<in Env = unknown> {
  /** Property that exists only in the type, so that TypeScript compares `Env` when you assign the tools to another type. */
  readonly '~env'?: (env: Env) => void
  readonly #target: CallTarget

  constructor(target: CallTarget) {
    this.#target = target
  }

  /** Internal: the tools with their layers, and the context of their calls. */
  get target(): CallTarget {
    return this.#target
  }

  /** Deeply frozen specs of the tools, in the order of the design. */
  get specs(): readonly AgentToolSpec[] {
    return this.#target.table.specs
  }

  /**
   * Internal: returns the specs of all tools that the nested runs of a tool can call, including tools of deeper nested runs.
   *
   * @throws errors of a function `() => agent` that the application passed in place of an agent
   */
  nestedSpecs(toolId: string): readonly AgentToolSpec[] {
    return this.#target.table.served.flatMap(({ tool }) => (tool.id === toolId ? nestedSpecs(tool) : []))
  }

  /**
   * Executes one call that a generated call builder or a model created. In a call from a model, `tool` can be the tool name instead of the
   * tool id. Never rejects: unknown tools, malformed arguments, errors of the service and cancellation become failed outcomes. You must
   * pass options if layers need an `env`, or if the caller must provide server-owned fields of the tool. If the type of `call` is a union
   * of several tools, the outcome is a union of their outcomes.
   *
   * @example
   * const outcome = await support.execute(newGetOrderCall({ orderId: 'A-1001' }), { sessionId: 's-1' })
   * if (outcome.status === 'completed') outcome.result.data.total
   */
  // `any` as needs: the compiler then reports a wrong property of an untyped call, not missing options.
  execute<Call extends ToolCall<unknown, any>, OwnEnv = Env>(
    call: WithoutOptions<Call, Exclude<NeedsOf<Call>, RuntimeField>, OwnEnv>,
  ): Promise<ToolOutcome<ResultOf<Call>, FailuresOf<Call>>>
  execute<Call extends ToolCall<unknown, any>, ConfigEnv = unknown, OwnEnv = Env>(
    call: Call,
    options: OptionsWithEnv<OptionsFor<NeedsOf<Call>>, Env, ConfigEnv, OwnEnv, Exclude<NeedsOf<Call>, RuntimeField>>,
  ): Promise<ToolOutcome<ResultOf<Call>, FailuresOf<Call>>>
  execute(call: any, options: object = {}): Promise<ToolOutcome<any>> {
    // `any`: the overloads have the precise types. The result codec of the tool checks the result at run time.
    return startCall(this.#target, readCall(call), resolveOptions(options))
  }

  /**
   * Continues a suspended call of `execute`. Such a call waits for its nested run or its program, or for the user's answer to its MCP server. The
   * keys of `answers` are the ids in `suspension.nested.pending`, or the keys of `suspension.elicitation.questions`. Pass the same `env`, session and
   * configuration that you passed to the suspended call. Never rejects: if the suspension is not valid, the call fails, and `error.cause` is a
   * `SuspensionError`. To continue the suspended calls of a run, use `resume` of the agent.
   *
   * @param suspension value of `outcome.suspension`, or a copy that was stored as JSON
   *
   * @example const outcome = await program.resumeCall(suspension, { call_17: 'approve' }, { sessionId: 's-1', env: { approval } })
   */
  resumeCall<OwnEnv = Env>(
    suspension: WithoutOptions<CallSuspension, never, OwnEnv>,
    answers: Answers,
  ): Promise<ToolOutcome>
  resumeCall<ConfigEnv = unknown, OwnEnv = Env>(
    suspension: CallSuspension,
    answers: Answers,
    options: OptionsWithEnv<CallOptions, Env, ConfigEnv, OwnEnv>,
  ): Promise<ToolOutcome>
  // `any`: the overloads have the precise types.
  resumeCall(suspension: any, answers: Answers, options: object = {}): Promise<ToolOutcome> {
    return continueCall(this.#target, suspension, answers, resolveOptions(options))
  }
}

/** Registered toolset. Executes calls without an agent. */
export class BoundToolset<in Env = unknown> extends BoundTools<Env> {
  /** Name of the toolset: the option `as` of its registration. Default: the toolset's own name. */
  readonly name: string

  constructor(name: string, target: CallTarget) {
    super(target)
    this.name = name
  }
}
