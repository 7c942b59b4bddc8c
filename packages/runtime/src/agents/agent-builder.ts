import { usedSpecs } from '../call/bound-tools.js'
import { requireLayer } from '../call/layer-guard.js'
import type { LayerScope } from '../call/layer-scope.js'
import { requireRegistrations, useName } from '../call/registrations.js'
import { joinPolicies } from '../call/run-config.js'
import { ignoreErrors } from '../call/telemetry.js'
import { peek } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import { equalityKey, isFields } from '../schema/json-values.js'
import { nearestNames } from '../schema/nearest.js'
import type { ChatFields, ChatMessage, ChatToolCall } from '../types/chat.js'
import type { Codec } from '../types/codec.js'
import type { Hook, HookPhase } from '../types/hook.js'
import type { JsonSchema } from '../types/json.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { CompilerWrap, MessageCompiler, ModelDriver, Planner } from '../types/planner.js'
import type { AgentDescriptor, EnvOfAll, ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { EventSink, RunEvent, RunPolicy, StopCondition } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import { AgentHooks, type HookInfo, type HookOptions, type InstalledHook, installedHook } from './hooks.js'
import { modelPlanner } from './planner.js'

/** Limits of an agent's runs. Every field is optional. */
export interface Guards {
  /** Maximum number of steps: `maxTurns` of the policy. */
  readonly maxSteps?: number
  /** Maximum number of tokens, of prompts and completions together. */
  readonly maxTokens?: number
  /** Maximum duration in milliseconds: `timeBudgetMs` of the policy. */
  readonly timeoutMs?: number
  /** Finish reasons of a model that end the run, for example `length`; its response is then the last message of the run. */
  readonly finishReasons?: readonly string[]
  /** Number of consecutive steps with the same calls that ends the run; at least 2. */
  readonly repetition?: number
}

function limitProblem(value: unknown): string | undefined {
  return typeof value === 'number' && value >= 0 ? undefined : `is ${String(value)}, give a number from 0 on`
}

/** Functions that return the problem of an invalid guard. */
const GUARDS: Readonly<Record<keyof Guards, (value: unknown) => string | undefined>> = {
  maxSteps: limitProblem,
  maxTokens: limitProblem,
  timeoutMs: limitProblem,
  finishReasons: (value) => {
    const isValid = Array.isArray(value) && value.every((reason) => typeof reason === 'string')
    return isValid ? undefined : "is no list of texts, give e.g. ['length']"
  },
  repetition: (value) => {
    const isValid = Number.isInteger(value) && Number(value) >= 2
    return isValid ? undefined : `is ${String(value)}, give a whole number from 2 on`
  },
}

/** Names of limits of a policy that guards have under another name. */
const GUARD_OF_POLICY: ReadonlyMap<string, string> = new Map([
  ['maxTurns', 'maxSteps'],
  ['timeBudgetMs', 'timeoutMs'],
])

/** @throws {TypeError} naming the unknown or invalid guard. */
function requireGuards(guards: Guards): Guards {
  const options: unknown = guards
  if (!isFields(options)) throw new TypeError('useGuards: these are no guards, give e.g. { maxSteps: 10 }')
  const names = Object.keys(GUARDS)
  for (const name of Object.keys(options)) {
    if (names.includes(name)) continue
    const nearest = GUARD_OF_POLICY.get(name) ?? nearestNames(name, names, 1)[0]
    const hint = nearest === undefined ? '' : ` (${nearest}?)`
    throw new TypeError(`useGuards: there is no guard '${name}'${hint}: give ${names.join(', ')}`)
  }
  for (const [name, problemOf] of Object.entries(GUARDS)) {
    const problem = options[name] === undefined ? undefined : problemOf(options[name])
    if (problem !== undefined) throw new TypeError(`useGuards: ${name} ${problem}`)
  }
  const { finishReasons } = guards
  return Object.freeze({ ...guards, ...(finishReasons && { finishReasons: Object.freeze([...finishReasons]) }) })
}

function guardPolicy({ maxSteps, maxTokens, timeoutMs }: Guards): RunPolicy {
  return {
    ...(maxSteps !== undefined && { maxTurns: maxSteps }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(timeoutMs !== undefined && { timeBudgetMs: timeoutMs }),
  }
}

/** Returns the guards that are not limits of a policy as conditions, the most severe first. The strictest guard counts. */
export function guardConditions(guards: readonly Guards[]): readonly StopCondition[] {
  const finishReasons = new Set(guards.flatMap((each) => each.finishReasons ?? []))
  const times = Math.min(...guards.flatMap((each) => each.repetition ?? []))
  const conditions: StopCondition[] = []
  if (finishReasons.size > 0) {
    conditions.push(({ finishReason }) =>
      finishReason !== undefined && finishReasons.has(finishReason)
        ? { reason: 'finish_reason', finishReason }
        : undefined,
    )
  }
  if (Number.isFinite(times)) {
    conditions.push(({ messages, runStart, earlierMessages = [] }) => {
      const last = [...lastCalls(messages, runStart, times)]
      last.push(...lastCalls(earlierMessages, 0, times - last.length))
      const isRepeated = last.length === times && last.every((calls) => calls === last[0])
      return isRepeated ? { reason: 'repetition', times } : undefined
    })
  }
  return Object.freeze(conditions)
}

/** Returns keys of the last messages with calls, the last one first. Messages with the same calls have the same key. */
function lastCalls(messages: readonly ChatMessage[], start: number, count: number): readonly string[] {
  const last: string[] = []
  for (let index = messages.length - 1; index >= start && last.length < count; index -= 1) {
    const message = messages[index]
    const calls = message?.role === 'assistant' ? (message.tool_calls ?? []) : []
    if (calls.length > 0) last.push(JSON.stringify(calls.map(callKey).sort()))
  }
  return last
}

/** Reads any JSON that is not nested too deep. */
const anyJson: Codec<never, unknown> = payloadCodec({ schema: {}, unknown: 'keep' })

function callKey(call: ChatToolCall): string {
  if (call.type === 'custom') return JSON.stringify([call.custom.name, call.custom.input])
  const { name, arguments: json } = call.function
  const decoded = anyJson.decode(json)
  return JSON.stringify([name, decoded.ok ? equalityKey(decoded.value) : json])
}

/**
 * Adds something to an agent: a pure function from builder to builder. `More` is the env that it needs.
 *
 * @example
 * const careful = (guards: Guards): Feature => (builder) => builder.with(useGuards(guards)).with(useHook('onStop', report))
 */
export type Feature<in More = unknown> = <E>(builder: AgentBuilder<E>) => AgentBuilder<E & More>

/**
 * Builds agents; returned by `base`, `standard` and the `new<Agent>` functions of generated code. Immutable: every method
 * returns a new builder. The order of features matters only among layers, hooks of one priority and wraps of the message
 * compiler, where the last is the outermost, and between two features that set the same option, where the last counts.
 * `Env` is the env that layers, hooks and tools need.
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
    // Builders share the features that one of them has added.
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
   * Builds the agent, ready to be registered. Runs the tool factories.
   *
   * @throws {TypeError} for an agent with neither a driver nor a planner.
   * @throws {BindingError} listing every error of its tools.
   */
  build(): Agent<Env> {
    return buildAgent(this.#parts)
  }

  /** Parts added so far; for features. */
  get parts(): BuilderParts {
    return this.#parts
  }
}

/** Returns a builder with other parts. `any`: the type of the feature says which env it needs. */
function withParts(
  { parts }: AgentBuilder<any>,
  change: (parts: BuilderParts) => Partial<BuilderParts>,
): AgentBuilder<any> {
  return new AgentBuilder({ ...parts, ...change(parts) })
}

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
function buildAgent(parts: BuilderParts): Agent<any> {
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
interface AgentContext {
  /** In place of the instructions of the design. */
  readonly systemPrompt?: string
  /** Schema of a structured final answer, under a name for the model (default `answer`). */
  readonly responseFormat?: { readonly name?: string; readonly schema: JsonSchema }
}

/** Context of a tool factory. */
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
interface AgentDesign {
  readonly descriptor: AgentDescriptor
  readonly uses: readonly ToolsetUse[]
}

/** Parts of a builder. `never`, `any`: the type of the builder says which env is needed. */
interface BuilderParts {
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
function requireFunction<Value>(what: string, value: Value): Value {
  if (typeof value === 'function') return value
  throw new TypeError(`${what} is no function`)
}

/** @throws {TypeError} for a value that is no registration of a toolset. */
function requireRegistration<Registration extends ToolsetRegistration<never>>(value: Registration): Registration {
  if (peek(peek(value, 'use'), 'toolset') !== undefined) return value
  throw new TypeError("this is no toolset: give e.g. toolset('local', weather)")
}

/**
 * Limits the runs of an agent. If installed twice, both hold: the stricter stops first.
 *
 * @throws {TypeError} for an unknown or invalid guard.
 *
 * @example
 * standard(driver).with(useGuards({ maxSteps: 5, finishReasons: ['length'], repetition: 3 }))
 */
export function useGuards(guards: Guards): Feature {
  const required = requireGuards(guards)
  return (builder) => withParts(builder, (parts) => ({ guards: [...parts.guards, required] }))
}

/**
 * Sets the model that decides, in place of an earlier one.
 *
 * @param fields defaults of each request, e.g. `temperature`; the caller of a run can replace them
 *
 * @example
 * base().with(useModel(openAiDriver({ client, model: 'gpt-5.2' }), { temperature: 0 }))
 */
export function useModel(driver: ModelDriver, fields: ChatFields = {}): Feature {
  if (typeof peek(driver, 'ask') !== 'function') {
    throw new TypeError('useModel: the driver is none, give e.g. openAiDriver({ client, model })')
  }
  const model = { driver, fields: Object.freeze({ ...fields }) }
  return (builder) => withParts(builder, () => ({ model }))
}

/** Sets the planner that decides, in place of an earlier one and of any model. */
export function usePlanner(planner: Planner): Feature {
  requireFunction('usePlanner: the planner', planner)
  return (builder) => withParts(builder, () => ({ planner }))
}

/**
 * Sets the instructions, in place of those of the design, and the response format. Of a field that is set twice the last
 * counts.
 *
 * @example
 * base(driver).with(useContext({ systemPrompt: 'Be brief.', responseFormat: { name: 'finding', schema } }))
 */
export function useContext(context: AgentContext): Feature {
  const added = { ...context }
  return (builder) => withParts(builder, (parts) => ({ context: { ...parts.context, ...added } }))
}

/**
 * Adds tools to those of the design.
 *
 * @example
 * base(driver).with(useTools(toolset('local', weather)))
 */
export function useTools<const Registrations extends readonly ToolsetRegistration<never>[]>(
  ...registrations: Registrations
): Feature<EnvOfAll<Registrations>> {
  const added = registrations.map(requireRegistration)
  return (builder) => withParts(builder, (parts) => ({ registrations: [...parts.registrations, ...added] }))
}

/**
 * Adds tools that are made once, when the agent is built and its driver is known.
 *
 * @example
 * base(driver).with(useToolFactory(({ driver }) => toolset('local', summary(driver))))
 */
export function useToolFactory<Env>(factory: ToolFactory<Env>): Feature<Env> {
  requireFunction('useToolFactory: the factory', factory)
  return (builder) => withParts(builder, (parts) => ({ factories: [...parts.factories, factory] }))
}

/**
 * Watches one phase of the agent's runs, and may change what the phase allows.
 *
 * @throws {TypeError} for an unknown phase, a hook that is no function, a priority that is no number.
 *
 * @example
 * const audit = ({ env, tool }: HookContext<'beforeTool', HasLogger>) => env.logger.info(tool.id)
 * base(driver).with(useHook('beforeTool', audit, { priority: hookPriority.persistence }))
 */
export function useHook<Name extends HookPhase, Env = unknown>(
  phase: Name,
  hook: Hook<Name, Env>,
  options: HookOptions = {},
): Feature<Env> {
  const installed = installedHook(phase, hook, options)
  return (builder) => withParts(builder, (parts) => ({ hooks: [...parts.hooks, installed] }))
}

/** Sets the compiler of the messages for the model, in place of an earlier one; always inside of all wraps. */
export function useMessageCompiler(compiler: MessageCompiler): Feature {
  requireFunction('useMessageCompiler: the compiler', compiler)
  return (builder) => withParts(builder, () => ({ compiler }))
}

/** Wraps the message compiler; the last is the outermost. */
export function wrapMessageCompiler(wrap: CompilerWrap): Feature {
  requireFunction('wrapMessageCompiler: the wrap', wrap)
  return (builder) => withParts(builder, (parts) => ({ compilerWraps: [...parts.compilerWraps, wrap] }))
}

/**
 * Adds a sink of the events of the agent's runs and calls, in addition to the sinks of the runtime. It also receives the events of
 * runs that serve a call of another agent; the sinks of that agent do not.
 */
export function useEvents(sink: EventSink): Feature {
  requireFunction('useEvents: the sink', sink)
  return (builder) => withParts(builder, (parts) => ({ sinks: [...parts.sinks, sink] }))
}

/** The guards of {@link standard}. */
export const STANDARD_GUARDS: Required<Pick<Guards, 'maxSteps' | 'maxTokens' | 'timeoutMs'>> = Object.freeze({
  maxSteps: 20,
  maxTokens: 32_768,
  timeoutMs: 300_000,
})

const EMPTY: BuilderParts = Object.freeze({
  context: {},
  compilerWraps: [],
  registrations: [],
  factories: [],
  guards: [],
  hooks: [],
  layers: [],
  sinks: [],
})

/**
 * Returns a builder without guards.
 *
 * @param driver the model that decides; without one, add `useModel` or `usePlanner`
 *
 * @example
 * const agent = base().with(usePlanner(planner)).build()
 */
export function base(driver?: ModelDriver): AgentBuilder {
  return newBuilder(EMPTY, driver)
}

/**
 * Returns a builder with the guards that suit most agents: 20 steps, 32,768 tokens, 300 seconds.
 *
 * @example
 * const agent = standard(driver).build()
 */
export function standard(driver?: ModelDriver): AgentBuilder {
  return base(driver).with(useStandard())
}

/**
 * Adds the standard guards; these replace or extend them.
 *
 * @example
 * base(driver).with(useStandard({ maxSteps: 50, repetition: 3 }))
 */
export function useStandard(guards: Guards = {}): Feature {
  return (builder) => builder.with(useGuards({ ...STANDARD_GUARDS, ...guards }))
}

/**
 * Returns a builder with the instructions, the policy and the tools of a design, and the standard guards; generated
 * `new<Agent>` functions call it. A limit that the policy of the design sets replaces the guard of the same kind.
 */
export function standardAgent(
  descriptor: AgentDesign['descriptor'],
  uses: AgentDesign['uses'],
  driver?: ModelDriver,
): AgentBuilder {
  const { maxTurns, maxTokens, timeBudgetMs } = descriptor.policy ?? {}
  const guards: Guards = {
    ...(maxTurns === undefined && { maxSteps: STANDARD_GUARDS.maxSteps }),
    ...(maxTokens === undefined && { maxTokens: STANDARD_GUARDS.maxTokens }),
    ...(timeBudgetMs === undefined && { timeoutMs: STANDARD_GUARDS.timeoutMs }),
  }
  return designedAgent(descriptor, uses, driver).with(useGuards(guards))
}

/**
 * Returns a builder with the instructions, the policy and the tools of a design, without guards; generated `newBare<Agent>`
 * functions call it.
 */
export function designedAgent(
  descriptor: AgentDesign['descriptor'],
  uses: AgentDesign['uses'],
  driver?: ModelDriver,
): AgentBuilder {
  return newBuilder({ ...EMPTY, design: { descriptor, uses } }, driver)
}

function newBuilder(parts: BuilderParts, driver: ModelDriver | undefined): AgentBuilder {
  const builder = new AgentBuilder(parts)
  return driver === undefined ? builder : builder.with(useModel(driver))
}
