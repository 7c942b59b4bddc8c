import type { ToolsetBinding } from '../call/binding.js'
import { boundTools, KnownTools } from '../call/bound-tools.js'
import type { InNamespaces, WithTools } from '../call/bound-toolset.js'
import { BoundToolset } from '../call/bound-toolset.js'
import type { CallContext } from '../call/call-context.js'
import { AbortListeners, RunningCalls } from '../call/call-group.js'
import { CallTarget, type ModelView } from '../call/call-target.js'
import type { Classify, ErrorRule } from '../call/classify.js'
import { KeptResults, type KeptResultsOptions } from '../call/kept-results.js'
import { withReadResult } from '../call/read-result.js'
import { Redactions, type SensitiveCipher, type SuspensionScope } from '../call/redactions.js'
import { requireRegistrations, useName } from '../call/registrations.js'
import { joinPolicies } from '../call/run-config.js'
import type { ServedTool, ToolTable } from '../call/served-tool.js'
import { servedTool, toolTable } from '../call/served-tool.js'
import { systemEffects } from '../call/timers.js'
import { peek } from '../call/tool-failure.js'
import type { Effects } from '../types/call-options.js'
import type { ResumeClaims, SuspensionSigner } from '../types/outcome.js'
import type { AgentDescriptor, EnvOfAll, ToolsetRegistration } from '../types/registration.js'
import type { EventSink, Tracer } from '../types/run.js'
import type { ModelPrices } from '../types/token-usage.js'
import type { MaxResult } from '../types/tool.js'
import { Agent, type ModelTools } from './agent.js'
import type { AgentOptions } from './bound-agent.js'
import { BoundAgent } from './bound-agent.js'
import { noPlanner } from './decision.js'
import { usePlanner } from './features.js'
import { pricedPlanner, requirePrices } from './model-cost.js'
import { claimsInMemory } from './resume.js'
import { base } from './standard-agent.js'

/** Options of a runtime, for example the clock, the error classification, and the event sinks. */
export interface RuntimeOptions {
  /** Functions that return the time and create ids. Default: the system clock and random ids. */
  readonly effects?: Effects
  /** Function that classifies errors of services before the `errorRules`. Default: none. */
  readonly classify?: Classify
  /**
   * Rules that classify errors of libraries, for example `vendorErrors` of `@toolgen/runtime/errors`. The first matching rule applies.
   * Without a matching rule, the runtime classifies an error by HTTP status, network code and name. Default: none.
   */
  readonly errorRules?: readonly ErrorRule[]
  /**
   * Functions that receive the events of all runs and calls. To include nested runs, set `deepTracing: true` or `suppressChildEvents: false`.
   * Default: none.
   */
  readonly sinks?: readonly EventSink[]
  /** Tracer that records spans of calls and runs, for example `otelTracer()` of `@toolgen/runtime/otel`. Default: none. */
  readonly tracer?: Tracer
  /**
   * Store of resumed suspensions, so that the runtime resumes each suspension only once. If several processes resume runs, use a shared
   * store such as `postgresClaims`. Default: `claimsInMemory()`.
   */
  readonly claims?: ResumeClaims
  /**
   * Signer of suspensions, for example `signSuspensions({ key })`. The runtime accepts only suspensions with a valid signature. Default: no
   * signatures. Without signatures, store each suspension in a place where only your application can change the suspension.
   */
  readonly suspensions?: SuspensionSigner
  /**
   * Limits of the results that the runtime stores in memory. If the runtime shortened a result for a model, the model can read the rest until
   * the runtime deletes the stored result. Default: 500 results, 32 MiB.
   */
  readonly results?: KeptResultsOptions
  /**
   * Cipher for the sensitive values in suspensions and session stores: `encryptSensitive({ key })`. By default, the runtime does not store sensitive
   * values, and another process cannot continue calls that need these values.
   */
  readonly sensitive?: SensitiveCipher
  /**
   * Prices of models. The runtime uses the prices to compute the `cost` in the usage of runs. Limits such as `maxCost` require prices. The keys are
   * model names. The runtime finds the price by the model name in a response. If this name has no price, the runtime searches for the name without
   * the date at its end. Default: none.
   */
  readonly prices?: ModelPrices
}

interface CloseOptions {
  /** Time in milliseconds that `close` waits for running calls before it cancels these calls. Default: 30,000. */
  readonly drainMs?: number
}

/**
 * Runs tools and agents. The register methods return a bound toolset or a bound agent. Keep a reference to the returned object, because the runtime
 * does not store the object.
 *
 * @example
 * const support = registerSupport(new Runtime(), { toolsets: { orders: { client } } })
 */
export class Runtime {
  readonly #context: CallContext
  readonly #prices: ModelPrices | undefined

  /**
   * Creates a runtime. Register agents and toolsets after this call.
   * @throws {TypeError} if `suspensions` is not a signer, or if a price is invalid.
   * @throws {RangeError} if a limit of `results` is invalid.
   */
  constructor(options: RuntimeOptions = {}) {
    const { effects = systemEffects(), classify, errorRules = [], sinks = [], tracer } = options
    const { claims = claimsInMemory(), suspensions, results, sensitive, prices } = options
    if (suspensions !== undefined && typeof peek(suspensions, 'verify') !== 'function') {
      throw new TypeError('`suspensions` of new Runtime must be a signer. Use signSuspensions({ key }).')
    }
    this.#prices = prices && requirePrices(prices)
    const state = {
      errorRules: [...errorRules],
      listeners: new AbortListeners(),
      calls: new RunningCalls(),
      results: new KeptResults(results),
      redactions: new Redactions(sensitive),
      tools: new KnownTools(),
    }
    this.#context = { effects, classify, sinks: [...sinks], tracer, claims, suspensions, ...state }
  }

  /**
   * Registers a toolset, so that you can call its tools without an agent.
   *
   * @throws {BindingError} if the registration is invalid. The error lists all problems.
   */
  registerToolset<Env>(registration: ToolsetRegistration<Env>): BoundToolset<Env> {
    const name = useName(registration.use)
    requireRegistrations(`toolset '${name}'`, [registration.use], [registration])
    const served = servedTools([registration], undefined)
    this.#context.redactions.use(served)
    const table = toolTable(withReadResult(served))
    this.#context.tools.add(table.served)
    return new BoundToolset(name, new CallTarget(table, this.#context, undefined, undefined))
  }

  /**
   * Registers an agent with its tools. Generated `register<Agent>` functions call this method.
   *
   * @throws {BindingError} if registrations are invalid. The error lists all problems.
   * @throws {TypeError} if a limit of the policy is invalid, or if both `agent` and `planner` are set.
   */
  registerAgent<const Registrations extends readonly ToolsetRegistration<never>[], AgentEnv = unknown>(
    design: AgentDescriptor,
    registrations: Registrations,
    parts: AgentOptions<AgentEnv> = {},
  ): BoundAgent<EnvOfAll<Registrations> & AgentEnv> {
    const agent = requireAgent(design, parts)
    const { instructions, registrations: added, scope, guards, sinks, modelTools, budgets } = agent.parts
    const { planner: inner } = agent.parts
    const planner = this.#prices === undefined || inner === noPlanner ? inner : pricedPlanner(inner, this.#prices)
    const all = [...registrations, ...added]
    requireRegistrations(
      `agent '${design.name}'`,
      all.map(({ use }) => use),
      all,
    )
    const descriptor = instructions === undefined ? design : { ...design, instructions }
    const context = { ...this.#context, sinks: [...this.#context.sinks, ...sinks] }
    const own = servedTools(all, design.maxResult)
    context.redactions.use(own)
    const shown = modelTools?.({ descriptor, table: toolTable(own) })
    if (shown !== undefined) {
      const uses = [...all, shown.registration].map(({ use }) => use)
      requireRegistrations(`agent '${design.name}'`, uses, [shown.registration])
    }
    const { table, view } =
      shown === undefined ? { table: toolTable(withReadResult(own)) } : withView(own, shown, design.maxResult)
    context.tools.add(table.served)
    const target = new CallTarget(table, context, descriptor, scope, { view })
    const policy = joinPolicies(design.policy, agent.policy, parts.policy)
    return new BoundAgent({ descriptor, target, planner, policy, guards, sinks, budgets })
  }

  /**
   * Replaces pseudonyms (invented values) in a part of a suspension by the original sensitive values, for example to show pending calls to the
   * approver. If the value of a pseudonym is unknown, the result contains the pseudonym. Rejects if the values cannot be decrypted.
   *
   * @param suspension `run.suspension`, or a copy that was stored as JSON
   *
   * @example
   * const pending = await runtime.reveal(suspension.pending, suspension)
   */
  reveal<Part>(part: Part, suspension: SuspensionScope): Promise<Part> {
    return this.#context.redactions.reveal(part, suspension)
  }

  /**
   * Rejects new calls and runs, and waits for running calls. After `drainMs`, cancels the calls that are still running.
   *
   * @example
   * process.once('SIGTERM', () => runtime.close({ drainMs: 5_000 }))
   */
  async close({ drainMs = 30_000 }: CloseOptions = {}): Promise<void> {
    if (typeof drainMs !== 'number' || !(drainMs >= 0)) {
      throw new RangeError(`close: drainMs is ${drainMs}. Expected a number of milliseconds of at least 0.`)
    }
    return this.#context.calls.close(drainMs)
  }
}

function withView(
  own: readonly ServedTool[],
  { registration, keep }: ModelTools,
  max: MaxResult | undefined,
): { readonly table: ToolTable; readonly view?: ModelView } {
  const added = servedTools([registration], max)
  const [through] = added
  const table = toolTable(withReadResult([...own, ...added]))
  if (keep === undefined) return { table }
  const seen = own.filter(({ tool }) => keep.includes(tool.spec))
  const tools = new Set(withReadResult([...seen, ...added]).map(({ tool }) => tool.spec))
  return { table, view: { tools, through: through?.tool.spec.toolName ?? '' } }
}

function servedTools(
  registrations: readonly ToolsetRegistration<never>[],
  max: MaxResult | undefined,
): readonly ServedTool[] {
  return registrations.flatMap((registration) =>
    boundTools(registration, max).map((tool) =>
      servedTool(tool, (service) => registration.wrap(tool.spec.name, service)),
    ),
  )
}

function requireAgent({ name }: AgentDescriptor, { planner, agent }: AgentOptions<any>): Agent<any> {
  if (agent === undefined || agent === null) {
    return base()
      .with(usePlanner(planner ?? noPlanner))
      .build()
  }
  if (!(agent instanceof Agent)) {
    throw new TypeError(`Agent '${name}': \`agent\` must be a built agent, for example base(driver).build().`)
  }
  if (planner !== undefined) {
    throw new TypeError(
      `Agent '${name}': both \`agent\` and \`planner\` are set. Remove one, or build the agent with usePlanner(planner).`,
    )
  }
  const { designedAs } = agent.parts
  if (designedAs === undefined || designedAs === name) return agent
  throw new TypeError(
    `Agent '${name}': \`agent\` was built from the design of agent '${designedAs}'. Pass an agent that was built from the design of '${name}', or register it as '${designedAs}'.`,
  )
}

/**
 * Registers an agent. Generated `register<Agent>` functions call this function.
 *
 * @throws {BindingError} if toolsets are invalid. The error lists all problems.
 */
export function registerAgent<Env = unknown, Namespace extends string = never, Tools = unknown>(
  runtime: Runtime,
  agent: AgentDescriptor,
  bindings: readonly ToolsetBinding[],
  // `any`: generated code has the precise types.
  parts: AgentOptions<any> = {},
): BoundAgent<Env> & InNamespaces<Namespace> & WithTools<Tools> {
  const registrations = bindings.flatMap(({ registration }) => registration ?? [])
  const uses = [...bindings, ...(parts.agent?.parts?.registrations ?? [])].map(({ use }) => use)
  const errors = bindings.flatMap((binding) => binding.errors)
  requireRegistrations(`agent '${agent.name}'`, uses, registrations, errors)
  const bound: BoundAgent<any> = runtime.registerAgent(agent, registrations, parts)
  return bound
}
