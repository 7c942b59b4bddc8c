import { type Budget, requireBudget } from '../call/budget.js'
import { peek } from '../call/tool-failure.js'
import type { ChatFields } from '../types/chat.js'
import type { Guardrails } from '../types/guardrail.js'
import type { Hook, HookPhase } from '../types/hook.js'
import type { CompilerWrap, MessageCompiler, ModelDriver, Planner } from '../types/planner.js'
import type { EnvOfAll, ToolsetRegistration } from '../types/registration.js'
import type { EventSink } from '../types/run.js'
import type { AgentContext, ToolFactory } from './agent.js'
import { requireFunction, requireRegistration } from './agent.js'
import type { Feature } from './agent-builder.js'
import { withParts } from './agent-builder.js'
import { requireGuardrails } from './guardrails.js'
import type { Guards } from './guards.js'
import { requireGuards } from './guards.js'
import type { HookOptions } from './installed-hook.js'
import { installedHook } from './installed-hook.js'

/**
 * Limits the runs of an agent. If you add this feature twice, both sets of limits apply.
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
 * Adds guardrails: functions that check the input, the answer, and the calls and results of tools. If you add this feature twice, both sets of
 * guardrails apply. A guardrail that throws or takes too long blocks the value by default. With `onError: 'flag'`, the run continues. With
 * output guardrails, the run emits no text deltas, because a delta would publish an unchecked answer. With parallel input guardrails, the run
 * emits deltas only after the input has passed these guardrails.
 *
 * Guardrails of tool calls run after the hooks `beforeTool` and before the layers of the agent. These guardrails also check the calls of
 * programs in code mode. If a layer changes the arguments later, the guardrails check the new arguments. Guardrails of tool results run
 * last, after all hooks and layers of the agent.
 *
 * @throws {TypeError} for an unknown stage or an invalid guardrail.
 *
 * @example
 * const noSecrets: ToolResultGuardrail = {
 *   name: 'no secrets',
 *   check: ({ text }) => (text.includes('sk-') ? { action: 'block', message: 'It contains an API key.' } : 'pass'),
 * }
 * standard(driver).with(useGuardrails({ toolResult: [noSecrets] }))
 */
export function useGuardrails<Env = unknown>(guardrails: Guardrails<Env>): Feature<Env> {
  const added = requireGuardrails(guardrails)
  return (builder) => withParts(builder, (parts) => ({ guardrails: [...parts.guardrails, added] }))
}

/**
 * Adds a budget that all runs of the agent share, including nested runs. If you add the same budget to several agents, these agents share the
 * budget. If the budget is used up before a request to a model, the run ends with the stop reason `budget`.
 *
 * @throws {TypeError} if `budget` is not a budget.
 *
 * @example
 * standard(driver).with(useBudget(budget({ name: 'support', maxCost: 50 })))
 */
export function useBudget(budget: Budget): Feature {
  const added = requireBudget('useBudget', budget)
  return (builder) => withParts(builder, (parts) => ({ budgets: [...parts.budgets, added] }))
}

/**
 * Sets the model of the agent. Replaces an earlier model.
 *
 * @param fields default fields of each request, for example `temperature`; the caller of a run can override these fields
 *
 * @example
 * base().with(useModel(openAiDriver({ client, model: 'gpt-5.2' }), { temperature: 0 }))
 */
export function useModel(driver: ModelDriver, fields: ChatFields = {}): Feature {
  if (typeof peek(driver, 'ask') !== 'function') {
    throw new TypeError('useModel expects a model driver, for example openAiDriver({ client, model }).')
  }
  const model = { driver, fields: Object.freeze({ ...fields }) }
  return (builder) => withParts(builder, () => ({ model }))
}

/** Sets the planner of the agent: a function that decides the next calls or the answer, in place of a model. Replaces an earlier planner. */
export function usePlanner(planner: Planner): Feature {
  requireFunction('usePlanner: `planner`', planner)
  return (builder) => withParts(builder, () => ({ planner }))
}

/**
 * Sets the instructions and the response format of the agent. The instructions replace the instructions of the design. If you add this
 * feature twice, the second `useContext` replaces only the properties that you set.
 *
 * @example
 * base(driver).with(useContext({ systemPrompt: 'Be brief.', responseFormat: { name: 'finding', schema } }))
 */
export function useContext(context: AgentContext): Feature {
  const added = { ...context }
  return (builder) => withParts(builder, (parts) => ({ context: { ...parts.context, ...added } }))
}

/**
 * Adds tools to the agent, in addition to the tools of its design.
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
 * Adds tools that `factory` creates when you build the agent. The function receives the agent's driver.
 *
 * @example
 * base(driver).with(useToolFactory(({ driver }) => toolset('local', summary(driver))))
 */
export function useToolFactory<Env>(factory: ToolFactory<Env>): Feature<Env> {
  requireFunction('useToolFactory: `factory`', factory)
  return (builder) => withParts(builder, (parts) => ({ factories: [...parts.factories, factory] }))
}

/**
 * Adds a hook: a function that the runtime calls in one phase of the agent's runs. A hook can return changes.
 *
 * @throws {TypeError} for an unknown phase, a hook that is not a function, or an invalid priority.
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

/**
 * Sets the message compiler: the function that creates the messages of each model request from the conversation. Replaces an earlier message
 * compiler. Functions that you added with `wrapMessageCompiler` also apply to the new message compiler.
 */
export function useMessageCompiler(compiler: MessageCompiler): Feature {
  requireFunction('useMessageCompiler: `compiler`', compiler)
  return (builder) => withParts(builder, () => ({ compiler }))
}

/** Wraps the message compiler of the agent, for example to change the compiled messages. The wrapper that you add last is the outermost. */
export function wrapMessageCompiler(wrap: CompilerWrap): Feature {
  requireFunction('wrapMessageCompiler: `wrap`', wrap)
  return (builder) => withParts(builder, (parts) => ({ compilerWraps: [...parts.compilerWraps, wrap] }))
}

/**
 * Adds a function that receives the events of the agent's runs and calls, in addition to the sinks of the runtime. If another agent calls
 * this agent as a tool, the sink receives the events of the nested run. The sinks of the calling agent do not receive these events.
 */
export function useEvents(sink: EventSink): Feature {
  requireFunction('useEvents: `sink`', sink)
  return (builder) => withParts(builder, (parts) => ({ sinks: [...parts.sinks, sink] }))
}
