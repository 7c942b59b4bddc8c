import type { ChatFields } from '../../contract/chat-request.js'
import type { EventSink } from '../../contract/event.js'
import type { Hook, HookPhase } from '../../contract/hook.js'
import type { CompilerWrap, MessageCompiler } from '../../contract/message-compiler.js'
import type { ModelDriver } from '../../contract/model-driver.js'
import type { Planner } from '../../contract/planner.js'
import type { EnvOfAll, ToolsetRegistration } from '../../contract/registration.js'
import { type HookOptions, installedHook } from '../../hook/installed-hook.js'
import { type Feature, withParts } from './agent-builder.js'
import type { AgentContext, ToolFactory } from './builder-parts.js'
import { type Guards, requireGuards } from './guards.js'
import { requireDriver, requireFunction, requireRegistration } from './require.js'

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
 * base(driver).with(useHook('beforeTool', audit, { priority: hookBand.persistence }))
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
