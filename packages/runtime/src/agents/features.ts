import type { AgentDescriptor } from '../types/agent.js'
import type { ChatFields } from '../types/chat.js'
import type { Hook, HookPhase } from '../types/hook.js'
import type { CompilerWrap, MessageCompiler, ModelDriver, Planner } from '../types/planner.js'
import type { EnvOfAll, ToolsetRegistration } from '../types/registration.js'
import type { EventSink } from '../types/run.js'
import {
  Agent,
  AgentBuilder,
  type AgentContext,
  type AgentDesign,
  type BuilderParts,
  type Feature,
  requireDriver,
  requireFunction,
  requireRegistration,
  type ToolFactory,
  withParts,
} from './agent-builder.js'
import { noPlanner } from './decisions.js'
import { type Guards, requireGuards } from './guards.js'
import { type HookOptions, installedHook } from './hooks.js'

/**
 * Ends runs before they go wrong. Installed twice, both hold: the stricter stops first.
 *
 * @throws {TypeError} naming the guard that is none.
 *
 * @example
 * standard(driver).with(useGuards({ maxSteps: 5, finishReasons: ['length'], repetition: 3 }))
 */
export function useGuards(guards: Guards): Feature {
  const required = requireGuards(guards)
  return (builder) => withParts(builder, (parts) => ({ guards: [...parts.guards, required] }))
}

/**
 * The model that decides, in place of an earlier one.
 *
 * @param fields go into each request, e.g. `temperature`, unless the caller of a run sets the same
 *
 * @example
 * base().with(useModel(openAiDriver({ client, model: 'gpt-5.2' }), { temperature: 0 }))
 */
export function useModel(driver: ModelDriver, fields: ChatFields = {}): Feature {
  const model = { driver: requireDriver(driver), fields: Object.freeze({ ...fields }) }
  return (builder) => withParts(builder, () => ({ model }))
}

/** The planner that decides, in place of an earlier one and of any model. */
export function usePlanner(planner: Planner): Feature {
  requireFunction('usePlanner: the planner', planner)
  return (builder) => withParts(builder, () => ({ planner }))
}

/**
 * What the model is told, in place of the instructions of the design, and how it answers. Of a field that is set twice the
 * last counts.
 *
 * @example
 * base(driver).with(useContext({ systemPrompt: 'Be brief.', responseFormat: { name: 'finding', schema } }))
 */
export function useContext(context: AgentContext): Feature {
  const given = Object.freeze({ ...context })
  return (builder) => withParts(builder, (parts) => ({ context: Object.freeze({ ...parts.context, ...given }) }))
}

/**
 * Tools beside those of the design.
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
 * Tools that are made when the agent is built, once, with what is known only then.
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

/** What the messages for the model are made by, in place of an earlier one; innermost, whenever it is added. */
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
 * Tells a sink of the events of the agent's runs and calls, beside the sinks of the runtime; also of runs that serve a call
 * of another agent, whose events those above do not hear.
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

const NOTHING: BuilderParts = Object.freeze({
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
 * A builder without opinions.
 *
 * @param driver the model that decides; without one, add `useModel` or `usePlanner`
 *
 * @example
 * const agent = base().with(usePlanner(planner)).build()
 */
export function base(driver?: ModelDriver): AgentBuilder {
  return begun(NOTHING, driver)
}

/**
 * A builder with the guards that suit most agents: 20 steps, 32,768 tokens, 300 seconds.
 *
 * @example
 * const agent = standard(driver).build()
 */
export function standard(driver?: ModelDriver): AgentBuilder {
  return base(driver).with(useStandard())
}

/**
 * The standard guards, with these in place of their own and beside them.
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
  return begun({ ...NOTHING, design: { descriptor, uses } }, driver)
}

function begun(parts: BuilderParts, driver: ModelDriver | undefined): AgentBuilder {
  const builder = new AgentBuilder(parts)
  return driver === undefined ? builder : builder.with(useModel(driver))
}

/** Who decides for an agent that is registered. `any`: what it needs of the env is in the type of who is given it. */
interface GivenAgent {
  readonly planner?: Planner | undefined
  readonly agent?: Agent<any> | undefined
}

/**
 * The agent that is registered: the one given, else one of the planner, which fails its runs where there is none either.
 *
 * @throws {TypeError} for both, for what no builder made, and for one that was made for another design.
 */
export function givenAgent({ name }: AgentDescriptor, { planner, agent }: GivenAgent): Agent<any> {
  if (agent === undefined || agent === null)
    return base()
      .with(usePlanner(planner ?? noPlanner))
      .build()
  if (!(agent instanceof Agent)) {
    throw new TypeError(`agent '${name}': give \`agent\` as a builder made it, e.g. base(driver).build()`)
  }
  if (planner !== undefined) {
    throw new TypeError(
      `agent '${name}': both \`agent\` and \`planner\` are given: leave one out, or add usePlanner(planner)`,
    )
  }
  const { designedAs } = agent.parts
  if (designedAs === undefined || designedAs === name) return agent
  throw new TypeError(`agent '${name}': this \`agent\` was made for the design of '${designedAs}'`)
}
