import type { AgentToolsetOptions, ToolsetExport } from '../../contract/agent-toolset.js'
import type { ToolExecutor } from '../../contract/executor.js'
import type { RegistrationOptions, ToolsetRegistration, ToolsetUse } from '../../contract/registration.js'
import { layeredBinding, type ToolsetBinding } from '../../execute/binding/bind-toolset.js'
import type { BindingFault } from '../../execute/binding/binding-error.js'
import { isGiven, missingOfTools, property } from '../../execute/binding/missing-parts.js'
import type { Requirements } from '../../execute/binding/service-binding.js'
import { useName } from '../../execute/binding/use-name.js'
import { BoundAgent } from '../../execute/bound-agent.js'
import { toolsetRegistration } from '../../layer/registration.js'
import type { AgentSource } from './agent-executor.js'
import { agentToolsetRegistration } from './agent-toolset.js'

/** Puts layers around the tools of a toolset, all or single ones; gives back what `layer` and `tool` give. */
interface Layered<Env> {
  readonly layers?: (tools: ToolsetRegistration) => ToolsetRegistration<Env>
}

/**
 * How an application serves a toolset that another agent exports: by that agent, bound, or by a function that gives it
 * where two agents use each other; with options and layers; or by an executor of its own. `AgentEnv` names what the agent
 * needs, `Env` what the layers need that are added: two, because inference would take one of them for both.
 *
 * @example
 * registerSupport(runtime, { planner, toolsets: { investigation: research } })
 */
export type AgentBinding<Options extends AgentToolsetOptions<any>, AgentEnv = unknown, Env = unknown> =
  // An agent alone gives no checks, so it is not enough where some are required.
  | (Partial<Options> extends Options ? AgentSource<AgentEnv> : never)
  | (Options & Layered<Env> & { readonly agent: AgentSource<AgentEnv>; readonly executor?: never })
  | (Pick<Options, keyof Options & keyof RegistrationOptions> &
      Layered<Env> & { readonly executor: ToolExecutor; readonly agent?: never; readonly wrap?: never })

/**
 * Makes the registration of a toolset that another agent exports from what the application gave. Never throws for what is
 * missing: `registerAgent` reports the faults of all toolsets together.
 *
 * @param binding what the application gave under `toolsets.<name>`
 * @param requirements what the tools cannot do without, by tool name
 */
export function bindAgentToolset(
  use: ToolsetUse,
  binding: AgentBinding<any, any>, // `any`: options and env are in the types of generated code
  exported: ToolsetExport,
  requirements: Requirements = {},
): ToolsetBinding {
  const faults = agentFaults(use, isSource(binding) ? { agent: binding } : binding, exported, requirements)
  if (faults.length > 0) return { use, faults }
  if (isSource(binding)) {
    return { use, registration: agentToolsetRegistration(exported, binding, {}, use), faults: [] }
  }
  const registration = binding.executor
    ? toolsetRegistration(use, binding.executor, binding)
    : agentToolsetRegistration(exported, binding.agent, binding, use)
  return layeredBinding(use, registration, binding.layers)
}

function isSource(binding: unknown): binding is AgentSource<any> {
  return binding instanceof BoundAgent || typeof binding === 'function'
}

function agentFaults(
  use: ToolsetUse,
  binding: unknown,
  { agent: exporter }: ToolsetExport,
  requirements: Requirements,
): BindingFault[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    const message = `toolset '${toolset}' is missing: give toolsets.${toolset}, the bound agent '${exporter.name}'`
    return [{ kind: 'missing_toolset', toolset, message }]
  }
  return [
    ...registrationFault(toolset, binding),
    ...agentFault(toolset, binding, exporter.name),
    ...missingOfTools(use, { ...binding, executor: true }, requirements),
  ]
}

/** A registration has an executor too; taken for a binding, its layers would be lost. */
function registrationFault(toolset: string, binding: object): BindingFault[] {
  if (property(binding, 'wrap') === undefined) return []
  const message = `toolsets.${toolset} is a registration: give { agent, layers: (tools) => tools.layer(...) }`
  return [{ kind: 'invalid_registration', toolset, message }]
}

function agentFault(toolset: string, binding: object, exporter: string): BindingFault[] {
  const agent = property(binding, 'agent')
  const hasExecutor = isGiven(property(binding, 'executor'))
  if (isGiven(agent) && hasExecutor) {
    const message = `toolset '${toolset}' has an agent and an executor: give one of them`
    return [{ kind: 'agent_and_executor', toolset, message }]
  }
  if (hasExecutor || typeof agent === 'function') return []
  if (!(agent instanceof BoundAgent)) {
    const message = `toolset '${toolset}' has neither agent nor executor: give toolsets.${toolset}, the bound agent '${exporter}'`
    return [{ kind: 'missing_agent', toolset, message }]
  }
  if (agent.agent.name === exporter) return []
  const message = `toolset '${toolset}' is bound to the agent '${agent.agent.name}', and '${exporter}' exports it`
  return [{ kind: 'wrong_agent', toolset, message }]
}
