import type { ModelDriver } from '../types/planner.js'
import type { AgentDesign, BuilderParts } from './agent.js'
import type { Feature } from './agent-builder.js'
import { AgentBuilder } from './agent-builder.js'
import { useGuards, useModel } from './features.js'
import type { Guards } from './guards.js'

/** Limits of the agents that {@link standard} builds. */
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
  guardrails: [],
  hooks: [],
  layers: [],
  sinks: [],
  budgets: [],
})

/**
 * Returns an agent builder without the limits of {@link standard}. By default, a run has at most 100 turns.
 *
 * @param driver model of the agent; without `driver`, add `useModel` or `usePlanner`
 *
 * @example
 * const agent = base().with(usePlanner(planner)).build()
 */
export function base(driver?: ModelDriver): AgentBuilder {
  return newBuilder(EMPTY, driver)
}

/**
 * Returns an agent builder with limits that suit most agents: 20 steps, 32,768 tokens, 300 seconds.
 *
 * @example
 * const agent = standard(driver).build()
 */
export function standard(driver?: ModelDriver): AgentBuilder {
  return base(driver).with(useStandard())
}

/**
 * Adds the limits of {@link standard}. A limit in `guards` replaces the standard limit with the same name; all other limits in `guards` are added.
 *
 * @example
 * base(driver).with(useStandard({ maxSteps: 50, repetition: 3 }))
 */
export function useStandard(guards: Guards = {}): Feature {
  return (builder) => builder.with(useGuards({ ...STANDARD_GUARDS, ...guards }))
}

/**
 * Returns an agent builder with the instructions, policy and tools of a design, and with the limits of {@link standard}. A limit in the
 * policy of the design replaces the corresponding standard limit. Generated `new<Agent>` functions call this function.
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
 * Returns an agent builder with the instructions, policy and tools of a design, without the limits of {@link standard}. Generated
 * `newBare<Agent>` functions call this function.
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
