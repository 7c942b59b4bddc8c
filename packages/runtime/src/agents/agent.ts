import { usedSpecs } from '../call/bound-tools.js'
import type { LayerScope } from '../call/layer-scope.js'
import { requireRegistrations, useName } from '../call/registrations.js'
import { joinPolicies } from '../call/run-config.js'
import { ignoreErrors } from '../call/telemetry.js'
import { peek } from '../call/tool-failure.js'
import type { ChatFields } from '../types/chat.js'
import type { JsonSchema } from '../types/json.js'
import type { CompilerWrap, MessageCompiler, ModelDriver, Planner } from '../types/planner.js'
import type { AgentDescriptor, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { EventSink, RunEvent, RunPolicy, StopCondition } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { Guards } from './guards.js'
import { guardConditions, guardPolicy } from './guards.js'
import { AgentHooks } from './hooks.js'
import type { HookInfo, InstalledHook } from './installed-hook.js'
import { modelPlanner } from './model-planner.js'

/** Parts of a built agent that a runtime needs. */
interface BuiltParts {
  /** Name of the designed agent that it was built for; absent for one without a design. */
  readonly designedAs: string | undefined
  readonly planner: Planner
  /** In place of the instructions of the design. */
  readonly instructions: string | undefined
  /** Tools in addition to those of the design. The type of the agent says which env their layers need. */
  readonly registrations: readonly ToolsetRegistration<never>[]
  readonly scope: LayerScope
  readonly guards: readonly StopCondition[]
  readonly sinks: readonly EventSink[]
}

/**
 * A built agent. It does nothing until it is registered at a runtime, and can be registered at several. Frozen. `Env` is the
 * env that its layers, hooks and tools need.
 */
export class Agent<in Env = unknown> {
  /** Makes `Env` count in assignability; never present. */
  readonly '~env'?: (env: Env) => void
  /** Tools that it can call: those of its design, then those that were added. */
  readonly tools: readonly AgentToolSpec[]
  /** In the order in which they run. */
  readonly hooks: readonly HookInfo[]
  /** Limits of the design and of the guards, joined. */
  readonly policy: RunPolicy
  readonly #parts: BuiltParts

  constructor({ tools, hooks, policy }: Pick<Agent, 'tools' | 'hooks' | 'policy'>, parts: BuiltParts) {
    this.tools = tools
    this.hooks = hooks
    this.policy = policy
    this.#parts = Object.freeze(parts)
    Object.freeze(this)
  }

  /** Parts that the runtime needs. */
  get parts(): BuiltParts {
    return this.#parts
  }
}

/** Builds an agent at the end, so that the order of the features does not matter. `any`: the type of the builder has the env. */
export function buildAgent(parts: BuilderParts): Agent<any> {
  const { design, guards, sinks, context, layers } = parts
  const hooks = new AgentHooks(parts.hooks)
  const driver = finalDriver(parts)
  const planner = finalPlanner(parts, driver, hooks)
  const registrations = addedRegistrations(parts, driver)
  const policy = joinPolicies(design?.descriptor.policy, ...guards.map(guardPolicy))
  const uses = [...(design?.uses ?? []), ...registrations.map(({ use }) => use)]
  requireRegistrations(design === undefined ? 'the agent' : `agent '${design.descriptor.name}'`, uses, registrations)
  return new Agent(
    { tools: usedSpecs(uses), hooks: hooks.infos, policy },
    {
      designedAs: design?.descriptor.name,
      planner,
      instructions: context.systemPrompt ?? design?.descriptor.instructions,
      registrations: Object.freeze(registrations),
      scope: hooks.scope(layers),
      guards: guardConditions(guards),
      sinks: Object.freeze([...sinks]),
    },
  )
}

/** Instructions and response format for the model of an agent. */
export interface AgentContext {
  /** In place of the instructions of the design. */
  readonly systemPrompt?: string
  /** Schema of a structured final answer, under a name for the model (default `answer`). */
  readonly responseFormat?: { readonly name?: string; readonly schema: JsonSchema }
}

interface FactoryContext {
  /**
   * The final driver of the agent, with its fields and its message compiler.
   *
   * @throws {TypeError} where the agent has none.
   */
  readonly driver: ModelDriver
  /** Sends an event to all sinks of the agent. */
  readonly events: EventSink
}

/** Makes tools when an agent is built. */
export type ToolFactory<Env = unknown> = (
  context: FactoryContext,
) => ToolsetRegistration<Env> | readonly ToolsetRegistration<Env>[]

/** The design of an agent. */
export interface AgentDesign {
  readonly descriptor: AgentDescriptor
  readonly uses: readonly ToolsetUse[]
}

/** Parts of a builder. `never`, `any`: the type of the builder says which env is needed. */
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

/** Returns the toolsets of features and factories, sorted by name. */
function addedRegistrations(
  { registrations, factories, sinks }: BuilderParts,
  driver: ModelDriver | undefined,
): readonly ToolsetRegistration<never>[] {
  const context: FactoryContext = Object.freeze({
    get driver() {
      if (driver !== undefined) return driver
      throw new TypeError('a tool factory takes a driver, and the agent has none: add useModel(driver)')
    },
    events: (event: RunEvent) => {
      for (const sink of sinks) ignoreErrors(() => sink(event))
    },
  })
  const made = factories.flatMap((factory) => factory(context)).map(requireRegistration)
  return [...registrations, ...made].sort((a, b) => (useName(a.use) < useName(b.use) ? -1 : 1))
}

/**
 * Returns the planner of the agent, else one that asks the model behind its driver.
 *
 * @throws {TypeError} for an agent with neither, and for a planner with a response format.
 */
function finalPlanner(
  { planner, context: { responseFormat } }: BuilderParts,
  driver: ModelDriver | undefined,
  hooks: AgentHooks,
): Planner {
  if (planner !== undefined) {
    if (responseFormat === undefined) return hooks.planner(planner)
    throw new TypeError(
      'useContext: responseFormat is for models, and usePlanner says who decides: leave one of both out',
    )
  }
  if (driver === undefined) {
    throw new TypeError(
      'nobody decides what the agent does: give base(driver), or add useModel(driver) or usePlanner(planner)',
    )
  }
  return modelPlanner(hooks.driver(driver), responseFormat === undefined ? {} : { responseFormat })
}

/**
 * Returns the driver with the fields and, if it supports one, the message compiler of the agent. It accepts no other compiler.
 *
 * @throws {TypeError} for a wrap that returns no compiler.
 */
function finalDriver(parts: BuilderParts): ModelDriver | undefined {
  const { model, compilerWraps, compiler = ({ conversation, trace }) => [...conversation, ...trace] } = parts
  if (model === undefined) return undefined
  const { driver, fields } = model
  const wrapped = compilerWraps.reduce(
    (inner, wrap) => requireFunction('wrapMessageCompiler: what the wrap gave back', wrap(inner)),
    compiler,
  )
  const compiled = driver.withMessageCompiler?.(wrapped) ?? driver
  const hasFields = Object.keys(fields).length > 0
  if (compiled === driver && !hasFields) return driver
  return {
    name: driver.name,
    ask: (request) => compiled.ask(hasFields ? { ...request, fields: { ...fields, ...request.fields } } : request),
  }
}

/** @throws {TypeError} for a value that is no function. */
export function requireFunction<Value>(what: string, value: Value): Value {
  if (typeof value === 'function') return value
  throw new TypeError(`${what} is no function`)
}

/** @throws {TypeError} for a value that is no registration of a toolset. */
export function requireRegistration<Registration extends ToolsetRegistration<never>>(
  value: Registration,
): Registration {
  if (peek(peek(value, 'use'), 'toolset') !== undefined) return value
  throw new TypeError("this is no toolset: give e.g. toolset('local', weather)")
}
