import { peek } from '../call/tool-failure.js'
import type { ChatFields } from '../types/chat.js'
import type { Hook, HookPhase } from '../types/layer.js'
import type { CompilerWrap, MessageCompiler, ModelDriver, Planner } from '../types/planner.js'
import type { EnvOfAll, ToolsetRegistration } from '../types/registration.js'
import type { EventSink } from '../types/run.js'
import {
  AgentBuilder,
  type AgentContext,
  type AgentDesign,
  type BuilderParts,
  type Feature,
  requireFunction,
  requireRegistration,
  type ToolFactory,
  withParts,
} from './agent-builder.js'
import { type Guards, requireGuards } from './guards.js'
import { type HookOptions, installedHook } from './hooks.js'

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
 * Adds tools beside those of the design.
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
 * Adds a sink of the events of the agent's runs and calls, beside the sinks of the runtime. It also receives the events of
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
