import { BoundAgent } from '../agents/runtime.js'
import {
  type BindingErrorDetails,
  isGiven,
  layeredBinding,
  missingToolParts,
  property,
  type Requirements,
  type ToolsetBinding,
  useName,
} from '../call/binding.js'
import { peek } from '../call/tool-failure.js'
import { toolsetRegistration } from '../layers/registration.js'
import type {
  AgentToolsetOptions,
  RegistrationOptions,
  ToolExecutor,
  ToolsetExport,
  ToolsetRegistration,
  ToolsetUse,
} from '../types/registration.js'
import { type AgentSource, agentExecutor } from './agent-executor.js'

/**
 * A toolset that an agent exports, served by runs of that agent. Generated code calls it.
 *
 * @param use how another agent uses the toolset; default: under its own names
 * @throws {TypeError} for an option of a tool that is of another type.
 */
export function agentToolsetRegistration<Env = unknown>(
  exported: ToolsetExport,
  agent: AgentSource<Env>,
  options: AgentToolsetOptions<any> = {}, // `any`: generated code says what the tools answer
  use: ToolsetUse = { toolset: exported.toolset, provider: 'agent' },
): ToolsetRegistration<Env> {
  requireToolOptions(useName(use), options)
  return toolsetRegistration<Env>(use, agentExecutor(exported, agent, options), options)
}

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
 * missing: `registerAgent` reports the errors of all toolsets together.
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
  const errors = agentErrors(use, isSource(binding) ? { agent: binding } : binding, exported, requirements)
  if (errors.length > 0) return { use, errors }
  if (isSource(binding)) {
    return { use, registration: agentToolsetRegistration(exported, binding, {}, use), errors: [] }
  }
  const registration = binding.executor
    ? toolsetRegistration(use, binding.executor, binding)
    : agentToolsetRegistration(exported, binding.agent, binding, use)
  return layeredBinding(use, registration, binding.layers)
}

function isSource(binding: unknown): binding is AgentSource<any> {
  return binding instanceof BoundAgent || typeof binding === 'function'
}

function agentErrors(
  use: ToolsetUse,
  binding: unknown,
  { agent: exporter }: ToolsetExport,
  requirements: Requirements,
): BindingErrorDetails[] {
  const toolset = useName(use)
  if (typeof binding !== 'object' || binding === null) {
    const message = `toolset '${toolset}' is missing: give toolsets.${toolset}, the bound agent '${exporter.name}'`
    return [{ code: 'missing_toolset', toolset, message }]
  }
  return [
    ...registrationFault(toolset, binding),
    ...agentFault(toolset, binding, exporter.name),
    ...missingToolParts(use, { ...binding, executor: true }, requirements),
  ]
}

/** A registration has an executor too; taken for a binding, its layers would be lost. */
function registrationFault(toolset: string, binding: object): BindingErrorDetails[] {
  if (property(binding, 'wrap') === undefined) return []
  const message = `toolsets.${toolset} is a registration: give { agent, layers: (tools) => tools.layer(...) }`
  return [{ code: 'invalid_registration', toolset, message }]
}

function agentFault(toolset: string, binding: object, exporter: string): BindingErrorDetails[] {
  const agent = property(binding, 'agent')
  const hasExecutor = isGiven(property(binding, 'executor'))
  if (isGiven(agent) && hasExecutor) {
    const message = `toolset '${toolset}' has an agent and an executor: give one of them`
    return [{ code: 'agent_and_executor', toolset, message }]
  }
  if (hasExecutor || typeof agent === 'function') return []
  if (!(agent instanceof BoundAgent)) {
    const message = `toolset '${toolset}' has neither agent nor executor: give toolsets.${toolset}, the bound agent '${exporter}'`
    return [{ code: 'missing_agent', toolset, message }]
  }
  if (agent.agent.name === exporter) return []
  const message = `toolset '${toolset}' is bound to the agent '${agent.agent.name}', and '${exporter}' exports it`
  return [{ code: 'wrong_agent', toolset, message }]
}

/** What each option of an agent's tool is. */
const OPTIONS = {
  text: 'string',
  template: 'string',
  systemPrompt: 'string',
  prose: 'boolean',
  aggregate: 'function',
} as const

const WORDS = { string: 'text', boolean: 'boolean', function: 'function' } as const

/**
 * What plain JavaScript says of the tools of an agent.
 *
 * @throws {TypeError} naming the option that is none.
 */
function requireToolOptions(toolset: string, { tools = {} }: AgentToolsetOptions<any>): void {
  // `any`: generated code says what the tools answer.
  for (const [tool, options] of Object.entries<unknown>(tools)) {
    for (const [name, type] of Object.entries(OPTIONS)) {
      const option = peek(options, name)
      if (option === undefined || typeof option === type) continue
      throw new TypeError(`toolset '${toolset}': tools.${tool}.${name} is no ${WORDS[type]}`)
    }
  }
}
