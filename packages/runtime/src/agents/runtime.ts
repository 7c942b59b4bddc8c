import type { ToolsetBinding } from '../call/binding.js'
import { boundTools } from '../call/bound-tools.js'
import type { InNamespaces } from '../call/bound-toolset.js'
import { BoundToolset } from '../call/bound-toolset.js'
import type { CallContext } from '../call/call-context.js'
import { AbortListeners, RunningCalls } from '../call/call-group.js'
import { CallTarget } from '../call/call-target.js'
import type { Classify, ErrorRule } from '../call/classify.js'
import { requireRegistrations, useName } from '../call/registrations.js'
import { joinPolicies } from '../call/run-config.js'
import type { ToolTable } from '../call/served-tool.js'
import { servedTool, toolTable } from '../call/served-tool.js'
import { systemEffects } from '../call/timers.js'
import { peek } from '../call/tool-failure.js'
import type { Effects } from '../types/call-options.js'
import type { ResumeClaims, SuspensionSigner } from '../types/outcome.js'
import type { AgentDescriptor, EnvOfAll, ToolsetRegistration } from '../types/registration.js'
import type { EventSink, Tracer } from '../types/run.js'
import { Agent } from './agent.js'
import type { AgentOptions } from './bound-agent.js'
import { BoundAgent } from './bound-agent.js'
import { noPlanner } from './decision.js'
import { usePlanner } from './features.js'
import { claimsInMemory } from './resume.js'
import { base } from './standard-agent.js'

/** Options of a runtime. */
export interface RuntimeOptions {
  /** The clock and the source of ids; default: the real ones. */
  readonly effects?: Effects
  /** Classifies errors of services before the rules do. Default: none. */
  readonly classify?: Classify
  /**
   * Rules for the errors of libraries, e.g. `vendorErrors` of `@toolgen/runtime/errors`; the first that knows an error decides.
   * Default: none. Errors that no rule knows are classified by their HTTP status, network code and name.
   */
  readonly errorRules?: readonly ErrorRule[]
  /** Receive every event of every run and call. */
  readonly sinks?: readonly EventSink[]
  /** Records spans of calls and runs, e.g. `otelTracer()` of `@toolgen/runtime/otel`. */
  readonly tracer?: Tracer
  /**
   * Records which suspensions have been resumed, so that each is resumed once. Default: `claimsInMemory()`, for this runtime;
   * use claims that your processes share (`postgresClaims`) if a run can be resumed in another process.
   */
  readonly claims?: ResumeClaims
  /**
   * Signs the suspensions of this runtime's runs, and refuses to resume any other: `signSuspensions({ key })`. Default: none;
   * then store suspensions where nobody else can change them.
   */
  readonly suspensions?: SuspensionSigner
}

interface CloseOptions {
  /** Time for calls in progress to end, in milliseconds. Default 30,000. */
  readonly drainMs?: number
}

/**
 * Runs tools and agents. Holds no registry: registration returns a bound toolset or agent.
 *
 * @example
 * const support = registerSupport(new Runtime(), { toolsets: { orders: { client } } })
 */
export class Runtime {
  readonly #context: CallContext

  /** @throws {TypeError} for `suspensions` without a signer. */
  constructor(options: RuntimeOptions = {}) {
    const { effects = systemEffects(), classify, errorRules = [], sinks = [], tracer } = options
    const { claims = claimsInMemory(), suspensions } = options
    if (suspensions !== undefined && typeof peek(suspensions, 'verify') !== 'function') {
      throw new TypeError('new Runtime: suspensions must be a signer: suspensions: signSuspensions({ key })')
    }
    const state = { errorRules: [...errorRules], listeners: new AbortListeners(), calls: new RunningCalls() }
    this.#context = { effects, classify, sinks: [...sinks], tracer, claims, suspensions, ...state }
  }

  /**
   * Makes a toolset callable without an agent.
   *
   * @throws {BindingError} listing every error of the registration.
   */
  registerToolset<Env>(registration: ToolsetRegistration<Env>): BoundToolset<Env> {
    const name = useName(registration.use)
    requireRegistrations(`toolset '${name}'`, [registration.use], [registration])
    return new BoundToolset(name, new CallTarget(servedTools([registration]), this.#context, undefined, undefined))
  }

  /**
   * Makes an agent's tools callable, and the agent runnable. Generated code calls this through `register<Agent>`.
   *
   * @throws {BindingError} listing every error of all registrations.
   * @throws {TypeError} for a policy with an illegal limit, and for both an agent and a planner.
   */
  registerAgent<const Registrations extends readonly ToolsetRegistration<never>[], AgentEnv = unknown>(
    design: AgentDescriptor,
    registrations: Registrations,
    parts: AgentOptions<AgentEnv> = {},
  ): BoundAgent<EnvOfAll<Registrations> & AgentEnv> {
    const agent = requireAgent(design, parts)
    const { planner, instructions, registrations: added, scope, guards, sinks } = agent.parts
    const all = [...registrations, ...added]
    requireRegistrations(
      `agent '${design.name}'`,
      all.map(({ use }) => use),
      all,
    )
    const descriptor = instructions === undefined ? design : { ...design, instructions }
    const context = { ...this.#context, sinks: [...this.#context.sinks, ...sinks] }
    const target = new CallTarget(servedTools(all), context, descriptor, scope)
    const policy = joinPolicies(design.policy, agent.policy, parts.policy)
    return new BoundAgent({ descriptor, target, planner, policy, guards, sinks })
  }

  /**
   * Refuses new calls and runs, waits for calls in progress, and cancels the remaining ones after `drainMs`. A second call
   * waits too.
   *
   * @example
   * process.once('SIGTERM', () => runtime.close({ drainMs: 5_000 }))
   */
  async close({ drainMs = 30_000 }: CloseOptions = {}): Promise<void> {
    if (typeof drainMs !== 'number' || !(drainMs >= 0)) {
      throw new RangeError(`close: drainMs is ${drainMs}, give milliseconds from 0 on`)
    }
    return this.#context.calls.close(drainMs)
  }
}

function servedTools(registrations: readonly ToolsetRegistration<never>[]): ToolTable {
  return toolTable(
    registrations.flatMap((registration) =>
      boundTools(registration).map((tool) => servedTool(tool, (service) => registration.wrap(tool.spec.name, service))),
    ),
  )
}

/**
 * Returns the agent of the options, else one with their planner. Without either, runs fail.
 *
 * @throws {TypeError} for both, for an agent that was not built, and for one that was built for another design.
 */
function requireAgent({ name }: AgentDescriptor, { planner, agent }: AgentOptions<any>): Agent<any> {
  if (agent === undefined || agent === null) {
    return base()
      .with(usePlanner(planner ?? noPlanner))
      .build()
  }
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

/**
 * Registers an agent; generated `register<Agent>` functions call it.
 *
 * @throws {BindingError} listing every error of all toolsets.
 */
export function registerAgent<Env = unknown, Namespace extends string = never>(
  runtime: Runtime,
  agent: AgentDescriptor,
  bindings: readonly ToolsetBinding[],
  // `any`: the types of generated code say which env the layers of registrations and of the agent need.
  parts: AgentOptions<any> = {},
): BoundAgent<Env> & InNamespaces<Namespace> {
  const registrations = bindings.flatMap(({ registration }) => registration ?? [])
  const uses = [...bindings, ...(parts.agent?.parts?.registrations ?? [])].map(({ use }) => use)
  const errors = bindings.flatMap((binding) => binding.errors)
  requireRegistrations(`agent '${agent.name}'`, uses, registrations, errors)
  const bound: BoundAgent<any> = runtime.registerAgent(agent, registrations, parts)
  return bound
}
