import { usedSpecs } from '../call/bound-tools.js'
import type { Budget } from '../call/budget.js'
import type { LayerScope } from '../call/layer-scope.js'
import { withReadResultSpec } from '../call/read-result.js'
import { requireRegistrations, useName } from '../call/registrations.js'
import type { ServingAgent } from '../call/required-options.js'
import { joinPolicies } from '../call/run-config.js'
import { ignoreErrors } from '../call/telemetry.js'
import { peek } from '../call/tool-failure.js'
import type { ChatFields } from '../types/chat.js'
import type { Guardrails } from '../types/guardrail.js'
import type { JsonSchema } from '../types/json.js'
import type { CompilerWrap, MessageCompiler, ModelDriver, Planner } from '../types/planner.js'
import type { AgentDescriptor, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { EventSink, RunEvent, RunPolicy, StopCondition } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import { AgentGuardrails } from './guardrails.js'
import type { Guards } from './guards.js'
import { guardConditions, guardPolicy } from './guards.js'
import { AgentHooks } from './hooks.js'
import type { HookInfo, InstalledHook } from './installed-hook.js'
import { namedDriver } from './message-compiler.js'
import { modelPlanner } from './model-planner.js'

interface BuiltParts {
  readonly designedAs: string | undefined
  readonly planner: Planner
  readonly instructions: string | undefined
  /** With the type argument `never`, the array accepts tools with any `env`. The type `Agent<Env>` checks `env`. */
  readonly registrations: readonly ToolsetRegistration<never>[]
  readonly scope: LayerScope
  readonly guards: readonly StopCondition[]
  readonly sinks: readonly EventSink[]
  readonly budgets: readonly Budget[]
  readonly modelTools: ModelToolsFactory | undefined
}

/**
 * Built, immutable agent. Pass the agent to the `register` function of its design. `Env` is the type of the option `env` (objects of the application,
 * such as an approver) that the agent's layers, hooks and tools require.
 */
export class Agent<in Env = unknown> {
  /** Property that exists only in the type, so that TypeScript compares `Env` when you assign one agent to another. */
  readonly '~env'?: (env: Env) => void
  /** Tools that the agent can call: first the tools of its design, then the tools that features added. */
  readonly tools: readonly AgentToolSpec[]
  /** Hooks of the agent, sorted by phase. Within a phase, the hooks are in the order in which they run. */
  readonly hooks: readonly HookInfo[]
  /** Limits of the agent's runs: the limits of the design, combined with the limits of `useGuards`. */
  readonly policy: RunPolicy
  readonly #parts: BuiltParts

  constructor({ tools, hooks, policy }: Pick<Agent, 'tools' | 'hooks' | 'policy'>, parts: BuiltParts) {
    this.tools = tools
    this.hooks = hooks
    this.policy = policy
    this.#parts = Object.freeze(parts)
    Object.freeze(this)
  }

  /** Internal: data that the runtime needs. */
  get parts(): BuiltParts {
    return this.#parts
  }
}

/** `build` calls this function after all features are added, so that the order of features does not matter. */
export function buildAgent(parts: BuilderParts): Agent<any> {
  const { design, guards, sinks, context, layers } = parts
  const hooks = new AgentHooks(parts.hooks)
  const driver = finalDriver(parts)
  const planner = finalPlanner(parts, driver, hooks)
  const schema = context.responseFormat?.schema
  const guardrails =
    parts.guardrails.length === 0
      ? undefined
      : new AgentGuardrails(parts.guardrails, schema, (meta, derived) => hooks.derive(meta, derived))
  const registrations = addedRegistrations(parts, driver)
  const policy = joinPolicies(design?.descriptor.policy, ...guards.map(guardPolicy))
  const uses = [...(design?.uses ?? []), ...registrations.map(({ use }) => use)]
  requireRegistrations(design === undefined ? 'the agent' : `agent '${design.descriptor.name}'`, uses, registrations)
  return new Agent(
    { tools: withReadResultSpec(usedSpecs(uses, design?.descriptor.maxResult)), hooks: hooks.infos, policy },
    {
      designedAs: design?.descriptor.name,
      planner: guardrails?.planner(planner) ?? planner,
      instructions: context.systemPrompt ?? design?.descriptor.instructions,
      registrations: Object.freeze(registrations),
      scope: scopeOf(hooks, layers, guardrails),
      guards: guardConditions(guards),
      sinks: Object.freeze([...sinks]),
      budgets: parts.budgets,
      modelTools: parts.modelTools,
    },
  )
}

/**
 * Guardrails for results run outside the hooks, and therefore also check results that hooks have changed. Guardrails for calls run inside the hooks,
 * and therefore check arguments that hooks have changed.
 */
function scopeOf(
  hooks: AgentHooks,
  layers: BuilderParts['layers'],
  guardrails: AgentGuardrails | undefined,
): LayerScope {
  if (guardrails === undefined) return hooks.scope(layers)
  const { stepLayer, callLayer, resultLayer } = guardrails
  const scope = hooks.scope([
    ...(stepLayer === undefined ? [] : [(inner: LayerScope) => inner.stepLayer(stepLayer)]),
    ...layers,
    ...(callLayer === undefined ? [] : [(inner: LayerScope) => inner.layer(callLayer)]),
  ])
  return resultLayer === undefined ? scope : scope.layer(resultLayer)
}

export interface AgentContext {
  /** Instructions that replace the instructions of the design. Default: the instructions of the design. */
  readonly systemPrompt?: string
  /** Format of a structured final answer: a JSON Schema, and the name of this schema for the model (default: `answer`). */
  readonly responseFormat?: { readonly name?: string; readonly schema: JsonSchema }
}

interface FactoryContext {
  /**
   * Driver of the agent. Requests through this driver use the agent's default request fields and message compiler.
   *
   * @throws {TypeError} if the agent has no driver.
   */
  readonly driver: ModelDriver
  readonly events: EventSink
}

/** Function that creates tools when you build an agent. Add the function with `useToolFactory`. */
export type ToolFactory<Env = unknown> = (
  context: FactoryContext,
) => ToolsetRegistration<Env> | readonly ToolsetRegistration<Env>[]

export interface ModelTools {
  /**
   * The model receives this toolset in addition to `keep`. If `keep` hides other tools of the agent, the model uses these tools with the first tool
   * of this toolset, for example `run_program`.
   */
  readonly registration: ToolsetRegistration<never>
  /** Tools of the agent that the model can also call directly. Default: all tools. */
  readonly keep?: readonly AgentToolSpec[]
}

/** The runtime calls this function once, when an application registers the agent, because the agent has all its tools at this time. */
export type ModelToolsFactory = (agent: ServingAgent) => ModelTools

export interface AgentDesign {
  readonly descriptor: AgentDescriptor
  readonly uses: readonly ToolsetUse[]
}

/** These types accept tools and layers with any `env`. The types of the builder check `env`. */
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
  readonly guardrails: readonly Guardrails<any>[]
  readonly hooks: readonly InstalledHook[]
  readonly layers: readonly ((scope: LayerScope) => LayerScope)[]
  readonly sinks: readonly EventSink[]
  readonly budgets: readonly Budget[]
  readonly modelTools?: ModelToolsFactory
}

function addedRegistrations(
  { registrations, factories, sinks }: BuilderParts,
  driver: ModelDriver | undefined,
): readonly ToolsetRegistration<never>[] {
  const context: FactoryContext = Object.freeze({
    get driver() {
      if (driver !== undefined) return driver
      throw new TypeError('A tool factory needs a driver, but the agent has none. Add useModel(driver).')
    },
    events: (event: RunEvent) => {
      for (const sink of sinks) ignoreErrors(() => sink(event))
    },
  })
  const made = factories.flatMap((factory) => factory(context)).map(requireRegistration)
  return [...registrations, ...made].sort((a, b) => (useName(a.use) < useName(b.use) ? -1 : 1))
}

function finalPlanner(
  { planner, context: { responseFormat } }: BuilderParts,
  driver: ModelDriver | undefined,
  hooks: AgentHooks,
): Planner {
  if (planner !== undefined) {
    if (responseFormat === undefined) return hooks.planner(planner)
    throw new TypeError(
      '`responseFormat` of useContext applies to models, but usePlanner replaces the model. Remove one of them.',
    )
  }
  if (driver === undefined) {
    throw new TypeError(
      'The agent has no model and no planner. Use base(driver), useModel(driver) or usePlanner(planner).',
    )
  }
  return modelPlanner(hooks.driver(driver), responseFormat === undefined ? {} : { responseFormat })
}

function finalDriver(parts: BuilderParts): ModelDriver | undefined {
  const { model, compilerWraps, compiler = ({ conversation, trace }) => [...conversation, ...trace] } = parts
  if (model === undefined) return undefined
  const { driver, fields } = model
  const wrapped = compilerWraps.reduce(
    (inner, wrap) => requireFunction('The return value of the function passed to wrapMessageCompiler', wrap(inner)),
    compiler,
  )
  const compiled = driver.withMessageCompiler?.(wrapped) ?? driver
  const hasFields = Object.keys(fields).length > 0
  if (compiled === driver && !hasFields) return driver
  const { name, provider } = driver
  const requested = typeof fields.model === 'string' ? fields.model : driver.model
  return namedDriver({ name, provider, model: requested }, (request) =>
    compiled.ask(hasFields ? { ...request, fields: { ...fields, ...request.fields } } : request),
  )
}

export function requireFunction<Value>(what: string, value: Value): Value {
  if (typeof value === 'function') return value
  throw new TypeError(`${what} must be a function.`)
}

export function requireRegistration<Registration extends ToolsetRegistration<never>>(
  value: Registration,
): Registration {
  if (peek(peek(value, 'use'), 'toolset') !== undefined) return value
  throw new TypeError("Expected the registration of a toolset, for example toolset('local', weather).")
}
