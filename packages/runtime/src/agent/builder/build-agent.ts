import type { AgentToolSpec } from '../../contract/spec.js'
import { usedSpecs } from '../../execute/binding/agent-spec.js'
import { BindingError } from '../../execute/binding/binding-error.js'
import { registrationFaults } from '../../execute/binding/registration-faults.js'
import { useFaults } from '../../execute/binding/use-faults.js'
import { hookInfos } from '../../hook/installed-hook.js'
import { StepFrames } from '../../hook/step-frames.js'
import { joinPolicies } from '../../layer/join-policies.js'
import { addedRegistrations } from './added-registrations.js'
import { Agent } from './agent.js'
import { agentScope } from './agent-scope.js'
import type { BuilderParts } from './builder-parts.js'
import { decider } from './decider.js'
import { finalDriver } from './final-driver.js'
import { guardConditions, guardPolicy } from './guards.js'

/**
 * The agent of what a builder has gathered. Everything is resolved here, so that it does not matter in which order it came.
 *
 * @throws {TypeError} where nobody decides what the agent does.
 * @throws {BindingError} listing every fault of its tools.
 */
export function buildAgent(parts: BuilderParts): Agent<any> {
  // `any`: what is needed of the env is in the type of the builder.
  const { design, hooks, guards, sinks, context } = parts
  const driver = finalDriver(parts)
  const frames = new StepFrames()
  const planner = decider(parts, driver, frames)
  const registrations = addedRegistrations(parts, driver)
  const policy = joinPolicies(design?.descriptor.policy, ...guards.map(guardPolicy))
  const uses = [...(design?.uses ?? []), ...registrations.map(({ use }) => use)]
  const faults = [...useFaults(uses), ...registrations.flatMap(registrationFaults)]
  if (faults.length > 0)
    throw new BindingError(design === undefined ? 'the agent' : `agent '${design.descriptor.name}'`, faults)
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
