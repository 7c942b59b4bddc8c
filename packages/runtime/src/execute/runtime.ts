import type { AgentDescriptor } from '../contract/agent.js'
import type { Effects } from '../contract/effects.js'
import type { ToolsetRegistration } from '../contract/registration.js'
import { BindingError } from './binding/binding-error.js'
import { registrationFaults } from './binding/registration-faults.js'
import { useFaults } from './binding/use-faults.js'
import { useName } from './binding/use-name.js'
import { BoundAgent } from './bound-agent.js'
import { BoundToolset } from './bound-toolset.js'
import { AbortListeners } from './call/abort-listeners.js'
import type { CallContext, CallTarget } from './call/execute-call.js'
import { toolTable } from './call/tool-table.js'
import type { Classify } from './failure/classify.js'
import { toolService } from './pipeline/tool-service.js'
import { systemEffects } from './system-effects.js'
import { boundTools } from './tool/bound-tool.js'

/** How a runtime differs from the default one. */
export interface RuntimeOptions {
  /** The clock and the source of ids; default: the real ones. */
  readonly effects?: Effects
  /** Asked first what an error of a service means; default: only the runtime's own table. */
  readonly classify?: Classify
}

/**
 * Runs tools along one path. Holds no registry: what is registered lives in the bound toolset or agent that is
 * returned.
 *
 * @example
 * const support = registerSupport(new Runtime(), { toolsets: { orders: { client } } })
 */
export class Runtime {
  readonly #context: CallContext

  constructor(options: RuntimeOptions = {}) {
    const { effects = systemEffects, classify } = options
    this.#context = { effects, classify, listeners: new AbortListeners() }
  }

  /**
   * Makes a toolset callable without an agent.
   *
   * @throws {BindingError} listing every fault of the registration.
   */
  registerToolset(registration: ToolsetRegistration): BoundToolset {
    const name = useName(registration.use)
    return new BoundToolset(name, this.#target(`toolset '${name}'`, [registration], undefined))
  }

  /**
   * Makes an agent's tools callable. Generated code calls this through `register<Agent>`.
   *
   * @throws {BindingError} listing every fault of all registrations.
   */
  registerAgent(agent: AgentDescriptor, registrations: readonly ToolsetRegistration[]): BoundAgent {
    return new BoundAgent(agent, this.#target(`agent '${agent.name}'`, registrations, agent.name))
  }

  #target(subject: string, registrations: readonly ToolsetRegistration[], agent: string | undefined): CallTarget {
    const faults = [
      ...useFaults(registrations.map((registration) => registration.use)),
      ...registrations.flatMap(registrationFaults),
    ]
    if (faults.length > 0) throw new BindingError(subject, faults)
    const tools = registrations.flatMap(boundTools)
    const table = toolTable(tools.map((tool) => ({ tool, service: toolService(tool, this.#context) })))
    return { table, context: this.#context, agent }
  }
}
