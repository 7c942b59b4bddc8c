import { registrationErrors, type ToolsetBinding } from '../call/binding.js'
import { BindingError, useErrors, useName } from '../call/binding-error.js'
import { boundTools } from '../call/bound-tool.js'
import type { CallContext } from '../call/call-context.js'
import { AbortListeners, RunningCalls } from '../call/call-group.js'
import { CallTarget, toolTable } from '../call/call-target.js'
import type { Classify, ErrorRule } from '../call/classify.js'
import { BoundToolset, type InNamespaces } from '../call/execute.js'
import { joinPolicies, type LayerScope } from '../call/layer-scope.js'
import { servedTool } from '../call/pipeline.js'
import { peek } from '../call/tool-failure.js'
import { systemEffects } from '../time/system-effects.js'
import type { AgentDescriptor } from '../types/agent.js'
import type { Effects } from '../types/call-options.js'
import type { ResumeClaims, SuspensionSigner } from '../types/outcome.js'
import type { Planner } from '../types/planner.js'
import type { EnvOfAll, ToolsetRegistration } from '../types/registration.js'
import type { EventSink, RunPolicy, Tracer } from '../types/run.js'
import type { Agent } from './agent-builder.js'
import { BoundAgent } from './bound-agent.js'
import { givenAgent } from './features.js'
import { claimsInMemory } from './resume.js'

/** How a runtime differs from the default one. */
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
  /** Told of every event of every run and call. */
  readonly sinks?: readonly EventSink[]
  /** Accompanies calls and runs with spans, e.g. `otelTracer()` of `@toolgen/runtime/otel`. */
  readonly tracer?: Tracer
  /**
   * Remembers which suspensions have been resumed, so that each is resumed once. Default: `claimsInMemory()`, for this runtime;
   * use claims that your processes share (`postgresClaims`) where a run may be resumed in another process.
   */
  readonly claims?: ResumeClaims
  /**
   * Signs the suspensions of this runtime's runs, and refuses to resume any other: `signSuspensions({ key })`. Default: none,
   * then keep suspensions where nobody can change them.
   */
  readonly suspensions?: SuspensionSigner
}

/** What an agent is run with beside its tools: `agent` or `planner`, not both. */
export interface AgentOptions<Env = unknown> {
  /** Short for `agent: base().with(usePlanner(planner)).build()`. Without either, tools can be executed, and a run fails. */
  readonly planner?: Planner | undefined
  /** What a builder made. Its tools are added to those of the design; its layers are the agent's own. */
  readonly agent?: Agent<Env> | undefined
  /** Limits beside those of the design: of numbers the strictest counts, of modes the last. */
  readonly policy?: RunPolicy | undefined
}

/** How a runtime is closed. */
export interface CloseOptions {
  /** How long calls under way may still take, in milliseconds. Default 30,000. */
  readonly drainMs?: number
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

  /** @throws {TypeError} where `suspensions` is no signer. */
  constructor(options: RuntimeOptions = {}) {
    const { effects = systemEffects(), classify, errorRules = [], sinks = [], tracer } = options
    const { claims = claimsInMemory(), suspensions } = options
    if (suspensions !== undefined && typeof peek(suspensions, 'verify') !== 'function') {
      throw new TypeError('new Runtime: suspensions must be a signer: suspensions: signSuspensions({ key })')
    }
    const calls = new RunningCalls()
    this.#context = {
      effects,
      classify,
      errorRules: [...errorRules],
      listeners: new AbortListeners(),
      calls,
      sinks: [...sinks],
      tracer,
      claims,
      suspensions,
    }
  }

  /**
   * Makes a toolset callable without an agent.
   *
   * @throws {BindingError} listing every error of the registration.
   */
  registerToolset<Env>(registration: ToolsetRegistration<Env>): BoundToolset<Env> {
    const name = useName(registration.use)
    return new BoundToolset(name, targetOf(`toolset '${name}'`, [registration], { context: this.#context }))
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
    const agent = givenAgent(design, parts)
    const { planner, instructions, registrations: added, scope, guards, sinks } = agent.parts
    const descriptor = instructions === undefined ? design : { ...design, instructions }
    const context = { ...this.#context, sinks: [...this.#context.sinks, ...sinks] }
    const target = targetOf(`agent '${design.name}'`, [...registrations, ...added], {
      context,
      agent: descriptor,
      scope,
    })
    const policy = joinPolicies(design.policy, agent.policy, parts.policy)
    return new BoundAgent({ descriptor, target, planner, policy, guards, sinks })
  }

  /**
   * Refuses new calls and runs, waits for calls under way, and cancels those that are left after the time. Closing again
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

/** Where the calls of registrations are executed, and for whom. */
interface TargetParts {
  readonly context: CallContext
  readonly agent?: AgentDescriptor
  readonly scope?: LayerScope
}

/** @throws {BindingError} listing every error of all registrations. */
function targetOf(
  subject: string,
  registrations: readonly ToolsetRegistration<never>[],
  { context, agent, scope }: TargetParts,
): CallTarget {
  const errors = [
    ...useErrors(registrations.map((registration) => registration.use)),
    ...registrations.flatMap(registrationErrors),
  ]
  if (errors.length > 0) throw new BindingError(subject, errors)
  const served = registrations.flatMap((registration) =>
    boundTools(registration).map((tool) => servedTool(tool, (service) => registration.wrap(tool.spec.name, service))),
  )
  return new CallTarget(toolTable(served), context, agent, scope)
}

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
  parts?: AgentOptions<any>,
): BoundAgent<Env> & InNamespaces<Namespace> {
  const registrations = bindings.flatMap(({ registration }) => (registration === undefined ? [] : [registration]))
  const added = parts?.agent?.parts?.registrations ?? []
  const errors = [
    ...bindings.flatMap((binding) => binding.errors),
    ...useErrors([...bindings, ...added].map(({ use }) => use)),
    ...registrations.flatMap(registrationErrors),
  ]
  if (errors.length > 0) throw new BindingError(`agent '${agent.name}'`, errors)
  const bound: BoundAgent<any> = runtime.registerAgent(agent, registrations, {
    planner: parts?.planner,
    agent: parts?.agent,
    policy: parts?.policy,
  })
  return bound
}
