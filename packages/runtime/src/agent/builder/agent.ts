import type { EventSink } from '../../contract/event.js'
import type { Planner } from '../../contract/planner.js'
import type { ToolsetRegistration } from '../../contract/registration.js'
import type { RunPolicy } from '../../contract/run-policy.js'
import type { AgentToolSpec } from '../../contract/spec.js'
import type { StopCondition } from '../../contract/stop-condition.js'
import type { HookInfo } from '../../hook/installed-hook.js'
import type { LayerScope } from '../../layer/layer-scope.js'

/** What a runtime needs of a built agent. */
export interface BuiltParts {
  /** The agent of the design that it was made for; absent for one without a design. */
  readonly designedAs: string | undefined
  readonly planner: Planner
  /** In place of the instructions of the design. */
  readonly instructions: string | undefined
  /** Tools beside those of the design. What their layers need is in the type of the agent. */
  readonly registrations: readonly ToolsetRegistration<never>[]
  readonly scope: LayerScope
  readonly guards: readonly StopCondition[]
  readonly sinks: readonly EventSink[]
}

/** What a built agent shows. */
export interface AgentView {
  readonly tools: readonly AgentToolSpec[]
  readonly hooks: readonly HookInfo[]
  readonly policy: RunPolicy
}

/**
 * An agent as a builder made it. It does nothing until it is registered at a runtime, and may be registered at several.
 * Frozen. `Env` names what its layers, hooks and tools need.
 */
export class Agent<in Env = unknown> {
  /** Makes `Env` count in assignability; never present. */
  readonly '~env'?: (env: Env) => void
  /** What it may call: the tools that its design uses, then those that were added. */
  readonly tools: readonly AgentToolSpec[]
  /** In the order in which they run. */
  readonly hooks: readonly HookInfo[]
  /** Its limits: those of the design and of the guards, joined. */
  readonly policy: RunPolicy
  readonly #parts: BuiltParts

  constructor({ tools, hooks, policy }: AgentView, parts: BuiltParts) {
    this.tools = tools
    this.hooks = hooks
    this.policy = policy
    this.#parts = parts
    Object.freeze(this)
  }

  /** What the runtime runs. */
  get parts(): BuiltParts {
    return this.#parts
  }
}
