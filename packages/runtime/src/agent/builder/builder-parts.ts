import type { AgentDescriptor } from '../../contract/agent.js'
import type { ChatFields } from '../../contract/chat-request.js'
import type { EventSink } from '../../contract/event.js'
import type { JsonSchema } from '../../contract/json.js'
import type { CompilerWrap, MessageCompiler } from '../../contract/message-compiler.js'
import type { ModelDriver } from '../../contract/model-driver.js'
import type { Planner } from '../../contract/planner.js'
import type { ToolsetRegistration, ToolsetUse } from '../../contract/registration.js'
import type { InstalledHook } from '../../hook/installed-hook.js'
import type { LayerScope } from '../../layer/layer-scope.js'
import type { Guards } from './guards.js'

/** What the model of an agent is told, and how it answers. Every field may be left out. */
export interface AgentContext {
  /** In place of the instructions of the design. */
  readonly systemPrompt?: string
  /** A structured final answer: a value of this schema, under a name for the model (default `answer`). */
  readonly responseFormat?: { readonly name?: string; readonly schema: JsonSchema }
}

/** What a tool factory is given. */
export interface FactoryContext {
  /**
   * The final driver of the agent, with its fields and its message compiler.
   *
   * @throws {TypeError} where the agent has none.
   */
  readonly driver: ModelDriver
  /** Tells all sinks of the agent. */
  readonly events: EventSink
}

/** Makes tools when an agent is built. */
export type ToolFactory<Env = unknown> = (
  context: FactoryContext,
) => ToolsetRegistration<Env> | readonly ToolsetRegistration<Env>[]

/** The agent of a design. */
export interface AgentDesign {
  readonly descriptor: AgentDescriptor
  readonly uses: readonly ToolsetUse[]
}

/** What a builder has gathered. `never`, `any`: what is needed of the env is in the type of the builder. */
export interface BuilderParts {
  readonly design?: AgentDesign
  readonly model?: { readonly driver: ModelDriver; readonly fields: ChatFields }
  readonly planner?: Planner
  readonly context: AgentContext
  readonly compiler?: MessageCompiler
  readonly compilerWraps: readonly CompilerWrap[]
  readonly registrations: readonly ToolsetRegistration<never>[]
  readonly factories: readonly ToolFactory<any>[]
  readonly guards: readonly Guards[]
  readonly hooks: readonly InstalledHook[]
  /** Each adds one layer to a scope. */
  readonly layers: readonly ((scope: LayerScope) => LayerScope)[]
  readonly sinks: readonly EventSink[]
}
