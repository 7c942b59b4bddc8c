import { registrationErrors } from '../call/binding.js'
import { BindingError, useErrors, useName } from '../call/binding-error.js'
import { usedSpecs } from '../call/descriptors.js'
import { joinPolicies, LayerScope, requireLayer } from '../call/layer-scope.js'
import { ignoreErrors } from '../call/telemetry.js'
import { peek } from '../call/tool-failure.js'
import { isConversation } from '../chat/messages.js'
import type { AgentDescriptor } from '../types/agent.js'
import type { ChatFields } from '../types/chat.js'
import type { JsonSchema } from '../types/json.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { CompilerWrap, MessageCompiler, ModelDriver, ModelRequest, Planner } from '../types/planner.js'
import type { ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { EventSink, RunEvent, RunPolicy, StopCondition } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import { type Guards, guardConditions, guardPolicy } from './guards.js'
import { type HookInfo, hookInfos, type InstalledHook, StepFrames } from './hooks.js'
import { modelPlanner } from './model-planner.js'
import { hasModelHooks, hookedDriver, hookedPlanner, runHooks, stepHooks, toolHooks } from './run-hooks.js'

/**
 * Adds something to an agent: a pure function from builder to builder. `More` names what it needs of the env.
 *
 * @example
 * const careful = (guards: Guards): Feature => (builder) => builder.with(useGuards(guards)).with(useHook('onStop', report))
 */
export type Feature<in More = unknown> = <E>(builder: AgentBuilder<E>) => AgentBuilder<E & More>

/**
 * Makes agents; begun by `base` or `standard`, or by the `new<Agent>` of generated code. Immutable: every method returns a
 * new builder. The order of features does not matter, except among layers, hooks of one priority and wraps of the message
 * compiler, where the last is the outermost, and where two set the same thing, where the last counts. `Env` names what
 * layers, hooks and tools need.
 *
 * @example
 * const agent = standard(driver).with(useContext({ systemPrompt: 'Be brief.' })).layer(retry()).build()
 * const support = registerSupport(new Runtime(), { agent, toolsets: { orders: { client } } })
 */
export class AgentBuilder<in Env = unknown> {
  /** Makes `Env` count in assignability; never present. */
  readonly '~env'?: (env: Env) => void
  readonly #parts: BuilderParts

  constructor(parts: BuilderParts) {
    // Builders share what one of them has added.
    for (const part of Object.values(parts)) if (typeof part === 'object') Object.freeze(part)
    this.#parts = Object.freeze(parts)
  }

  /** Adds a feature. */
  with(feature: Feature): AgentBuilder<Env>
  with<More>(feature: Feature<More>): AgentBuilder<Env & More>
  with(feature: Feature<any>): AgentBuilder<any> {
    if (typeof feature !== 'function') throw new TypeError('.with() takes a feature, e.g. useGuards({ maxSteps: 10 })')
    const builder: unknown = feature(this)
    if (builder instanceof AgentBuilder) return builder
    throw new TypeError('a feature gave back no builder: write (builder) => builder.with(...)')
  }

  /** Wraps every tool call of the agent, inside its hooks and outside the layers of its tools; the last is the outermost. */
  layer(layer: ToolLayer): AgentBuilder<Env>
  layer<More>(layer: ToolLayer<More>): AgentBuilder<Env & More>
  layer(layer: ToolLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.layer(layer)] }))
  }

  /** Wraps every step of the agent's runs, inside its hooks. */
  stepLayer(layer: StepLayer): AgentBuilder<Env>
  stepLayer<More>(layer: StepLayer<More>): AgentBuilder<Env & More>
  stepLayer(layer: StepLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.stepLayer(layer)] }))
  }

  /** Wraps the agent's runs as wholes, inside its hooks. */
  runLayer(layer: RunLayer): AgentBuilder<Env>
  runLayer<More>(layer: RunLayer<More>): AgentBuilder<Env & More>
  runLayer(layer: RunLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.runLayer(layer)] }))
  }

  /**
   * The agent, ready to be registered. Tool factories run now.
   *
   * @throws {TypeError} where nobody decides what the agent does: neither a driver nor a planner was given.
   * @throws {BindingError} listing every error of its tools.
   */
  build(): Agent<Env> {
    return buildAgent(this.#parts)
  }

  /** What was gathered so far; for features. */
  get parts(): BuilderParts {
    return this.#parts
  }
}

/** A builder with other parts. `any`: the feature that does it says what it needs. */
export function withParts(
  { parts }: AgentBuilder<any>,
  change: (parts: BuilderParts) => Partial<BuilderParts>,
): AgentBuilder<any> {
  return new AgentBuilder({ ...parts, ...change(parts) })
}

/** What a runtime needs of a built agent. */
interface BuiltParts {
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
interface AgentView {
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

/**
 * The agent of what a builder has gathered. Everything is resolved here, so that it does not matter in which order it came.
 *
 * @throws {TypeError} where nobody decides what the agent does.
 * @throws {BindingError} listing every error of its tools.
 */
function buildAgent(parts: BuilderParts): Agent<any> {
  // `any`: what is needed of the env is in the type of the builder.
  const { design, hooks, guards, sinks, context } = parts
  const driver = finalDriver(parts)
  const frames = new StepFrames()
  const planner = decider(parts, driver, frames)
  const registrations = addedRegistrations(parts, driver)
  const policy = joinPolicies(design?.descriptor.policy, ...guards.map(guardPolicy))
  const uses = [...(design?.uses ?? []), ...registrations.map(({ use }) => use)]
  const errors = [...useErrors(uses), ...registrations.flatMap(registrationErrors)]
  if (errors.length > 0)
    throw new BindingError(design === undefined ? 'the agent' : `agent '${design.descriptor.name}'`, errors)
  const tools: readonly AgentToolSpec[] = usedSpecs(uses)
  return new Agent(
    { tools, hooks: hookInfos(hooks), policy },
    Object.freeze({
      designedAs: design?.descriptor.name,
      planner,
      instructions: context.systemPrompt ?? design?.descriptor.instructions,
      registrations: Object.freeze(registrations),
      scope: agentScope(parts, frames),
      guards: guardConditions(guards),
      sinks: Object.freeze([...sinks]),
    }),
  )
}

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

/** The toolsets that features added and factories make, in the order of their names. */
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

/** Layers of a builder in the order in which they were added, with the hooks around them; see {@link LayerScope}. */
function agentScope({ layers, hooks }: BuilderParts, frames: StepFrames): LayerScope {
  const empty = new LayerScope()
  const framed = hasModelHooks(hooks) ? empty.stepLayer(frames.layer) : empty
  const layered = layers.reduce((scope, add) => add(scope), framed)
  const aroundTools = toolHooks(hooks)
  const withTools = aroundTools === undefined ? layered : layered.layer(aroundTools)
  const aroundSteps = stepHooks(hooks)
  const withSteps = aroundSteps === undefined ? withTools : withTools.stepLayer(aroundSteps)
  const aroundRuns = runHooks(hooks)
  return aroundRuns === undefined ? withSteps : withSteps.runLayer(aroundRuns)
}

/**
 * Who decides what the agent does: its planner, else the model behind its driver, with the hooks around what is asked.
 *
 * @throws {TypeError} where there is neither, or where a structured answer is asked of a planner.
 */
function decider(
  { planner, hooks, context: { responseFormat } }: BuilderParts,
  driver: ModelDriver | undefined,
  frames: StepFrames,
): Planner {
  const around = hasModelHooks(hooks) ? { hooks, frames } : undefined
  if (planner !== undefined) {
    if (responseFormat === undefined) return around === undefined ? planner : hookedPlanner(planner, around)
    throw new TypeError(
      'useContext: responseFormat is for models, and usePlanner says who decides: leave one of both out',
    )
  }
  if (driver === undefined) {
    throw new TypeError(
      'nobody decides what the agent does: give base(driver), or add useModel(driver) or usePlanner(planner)',
    )
  }
  const asked = around === undefined ? driver : hookedDriver(driver, around)
  return modelPlanner(asked, responseFormat === undefined ? {} : { responseFormat })
}

/**
 * The driver with the final message compiler, where it takes one, and the fields of its agent. It takes no other compiler
 * any more: who is given it asks as the agent does.
 *
 * @throws {TypeError} where a wrap gives back no compiler.
 */
function finalDriver({ model, compiler = plainCompiler, compilerWraps }: BuilderParts): ModelDriver | undefined {
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

/** What models are sent where nobody set anything else: the whole conversation, then what the run added. */
const plainCompiler: MessageCompiler = ({ conversation, trace }) => [...conversation, ...trace]

/**
 * A request with the messages that a compiler makes of its own. For drivers that take a compiler.
 *
 * @throws what the compiler throws, and `TypeError` where it gives no messages.
 *
 * @example
 * withMessageCompiler: (compiler) => ({ ...driver, ask: async (request) => driver.ask(await compiledRequest(request, compiler)) })
 */
export async function compiledRequest(request: ModelRequest, compiler: MessageCompiler): Promise<ModelRequest> {
  const { messages, meta, tools, runStart: start = messages.length, ...rest } = request
  const conversation = messages.slice(0, start)
  const trace = messages.slice(start)
  const compiled: unknown = await compiler({ conversation, trace, meta, tools })
  if (isConversation(compiled) && compiled.length > 0) return { ...rest, messages: compiled, meta, tools }
  throw new TypeError(
    'a message compiler gave no messages: return a list of chat messages, [...conversation, ...trace]',
  )
}

/** @throws {TypeError} when what plain JavaScript gave is no function. */
export function requireFunction<Value>(what: string, value: Value): Value {
  if (typeof value === 'function') return value
  throw new TypeError(`${what} is no function`)
}

/** @throws {TypeError} when what is given asks no model. */
export function requireDriver(driver: ModelDriver): ModelDriver {
  if (typeof peek(driver, 'ask') === 'function') return driver
  throw new TypeError('useModel: the driver is none, give e.g. openAiDriver({ client, model })')
}

/** @throws {TypeError} when what is given is no registration of a toolset. */
export function requireRegistration<Registration extends ToolsetRegistration<never>>(
  given: Registration,
): Registration {
  if (peek(peek(given, 'use'), 'toolset') !== undefined) return given
  throw new TypeError("this is no toolset: give e.g. toolset('local', weather)")
}
