import type { CallOptions, EnvOption, OptionsFor, WithoutOptions } from '../types/call-options.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, MetaField, NeedsOf, ResultOf, ToolCall } from '../types/tool.js'
import { type CallTarget, readCall, resolveOptions } from './call-target.js'
import { startCall } from './execute.js'
import type { RunConfig } from './run-config.js'

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
