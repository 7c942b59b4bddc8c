import type { AgentDescriptor } from '../contract/agent.js'
import type { ToolsetBinding } from './binding/bind-toolset.js'
import { BindingError } from './binding/binding-error.js'
import { registrationFaults } from './binding/registration-faults.js'
import { useFaults } from './binding/use-faults.js'
import type { BoundAgent } from './bound-agent.js'
import type { InNamespaces } from './bound-tools.js'
import type { AgentParts, Runtime } from './runtime.js'

/**
 * What generated `register<Agent>` functions do.
 *
 * @throws {BindingError} listing everything that is missing or clashes, over all toolsets.
 */
export function registerAgent<Env = unknown, Namespace extends string = never>(
  runtime: Runtime,
  agent: AgentDescriptor,
  bindings: readonly ToolsetBinding[],
  // `any`: generated code says what the layers of its registrations and of its agent need.
  parts?: AgentParts<any>,
): BoundAgent<Env> & InNamespaces<Namespace> {
  const registrations = bindings.flatMap(({ registration }) => (registration === undefined ? [] : [registration]))
  const added = parts?.agent?.parts?.registrations ?? []
  const faults = [
    ...bindings.flatMap((binding) => binding.faults),
    ...useFaults([...bindings, ...added].map(({ use }) => use)),
    ...registrations.flatMap(registrationFaults),
  ]
  if (faults.length > 0) throw new BindingError(`agent '${agent.name}'`, faults)
  const bound: BoundAgent<any> = runtime.registerAgent(agent, registrations, {
    planner: parts?.planner,
    agent: parts?.agent,
    policy: parts?.policy,
  })
  return bound
}
