import { peek } from '../call/tool-failure.js'
import type { ChatFields } from '../types/chat.js'
import type { Hook, HookPhase } from '../types/hook.js'
import type { CompilerWrap, MessageCompiler, ModelDriver, Planner } from '../types/planner.js'
import type { EnvOfAll, ToolsetRegistration } from '../types/registration.js'
import type { EventSink } from '../types/run.js'
import type { AgentContext, ToolFactory } from './agent.js'
import { requireFunction, requireRegistration } from './agent.js'
import type { Feature } from './agent-builder.js'
import { withParts } from './agent-builder.js'
import type { Guards } from './guards.js'
import { requireGuards } from './guards.js'
import type { HookOptions } from './installed-hook.js'
import { installedHook } from './installed-hook.js'

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
