import type { ToolsetBinding } from '../call/binding.js'
import { boundTools } from '../call/bound-tools.js'
import type { InNamespaces } from '../call/bound-toolset.js'
import { BoundTools, BoundToolset } from '../call/bound-toolset.js'
import type { CallContext } from '../call/call-context.js'
import { AbortListeners, RunningCalls } from '../call/call-group.js'
import { CallTarget, resolveOptions } from '../call/call-target.js'
import type { Classify, ErrorRule } from '../call/classify.js'
import type { LayerScope } from '../call/layer-scope.js'
import { requireRegistrations, useName } from '../call/registrations.js'
import type { RunConfig } from '../call/run-config.js'
import { joinPolicies } from '../call/run-config.js'
import type { ToolTable } from '../call/served-tool.js'
import { servedTool, toolTable } from '../call/served-tool.js'
import { systemEffects } from '../call/timers.js'
import { peek } from '../call/tool-failure.js'
import type { CallOptions, Effects, EnvOption, WithoutOptions } from '../types/call-options.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { Answers, ResumeClaims, RunSuspension, SuspensionSigner } from '../types/outcome.js'
import type { Planner } from '../types/planner.js'
import type { AgentDescriptor, EnvOfAll, ToolsetRegistration } from '../types/registration.js'
import type { EventSink, RunInput, RunPolicy, Tracer } from '../types/run.js'
import { Agent, base, usePlanner } from './agent-builder.js'
import { noPlanner } from './planner.js'
import { claimsInMemory } from './resume.js'
import type { RunHandle } from './run-handle.js'
import { type RunnableAgent, resumeRun, startRun } from './start-run.js'

/** Options of a run. `onUpdate` is for single calls: a run reports updates as events. */
export type RunOptions = Omit<CallOptions, 'deadline' | 'onUpdate'>

/** Options of a run that needs none. */
type PlainRunOptions = RunOptions & { readonly config?: RunConfig | undefined; readonly env?: unknown }

/**
 * A registered agent: executes calls of the tools that it uses, and runs its planner. `Env` names what the layers around
 * it need. Immutable: `layer`, `stepLayer` and `runLayer` return a new agent over the same tools.
 */
export class BoundAgent<in Env = unknown> extends BoundTools<Env> {
  readonly agent: AgentDescriptor
  readonly #runnable: RunnableAgent

  constructor(runnable: RunnableAgent) {
    super(runnable.target)
    this.agent = runnable.descriptor
    this.#runnable = runnable
  }

  /**
   * Wraps every tool call of the agent, outside its hooks, the layers of its builder and those of its tools. The last layer is
   * the outermost; layers of the run are around.
   */
  layer(layer: ToolLayer): BoundAgent<Env>
  layer<More>(layer: ToolLayer<More>): BoundAgent<Env & More>
  layer(layer: ToolLayer<any>): BoundAgent<any> {
    return this.#withScope(this.#runnable.target.scope.layer(layer))
  }

  /** Wraps every step of the agent's runs, outside its hooks and the layers of its builder. */
  stepLayer(layer: StepLayer): BoundAgent<Env>
  stepLayer<More>(layer: StepLayer<More>): BoundAgent<Env & More>
  stepLayer(layer: StepLayer<any>): BoundAgent<any> {
    return this.#withScope(this.#runnable.target.scope.stepLayer(layer))
  }

  /** Wraps the agent's runs as wholes, outside its hooks and the layers of its builder. */
  runLayer(layer: RunLayer): BoundAgent<Env>
  runLayer<More>(layer: RunLayer<More>): BoundAgent<Env & More>
  runLayer(layer: RunLayer<any>): BoundAgent<any> {
    return this.#withScope(this.#runnable.target.scope.runLayer(layer))
  }

  /**
   * Runs the agent: its planner decides, its tools are called, until there is an answer or a reason to stop. Never
   * throws or rejects.
   *
   * @param input the user's words, or the conversation so far
   *
   * @example
   * const { status, result } = await support.run('Where is my order?', { sessionId: 's-1', env: { approval } })
   */
  run<OwnEnv = Env>(input: WithoutOptions<RunInput, never, OwnEnv>, options?: PlainRunOptions): RunHandle
  run<ConfigEnv = unknown>(
    input: RunInput,
    options: RunOptions & EnvOption<Env & ConfigEnv> & { readonly config?: RunConfig<ConfigEnv> | undefined },
  ): RunHandle
  // `any`: the first signature takes an input or a type that no input has.
  run(input: any, options: object = {}): RunHandle {
    return startRun(this.#runnable, input, resolveOptions(options))
  }

  /**
   * Goes on with a run that was suspended, once: with the answers, its calls are run or declined, and the planner goes on.
   * The caller gives `env`, session and configuration anew. Calls without an answer go on waiting: the run is suspended
   * again. Never throws or rejects: a suspension that cannot be resumed makes a failed run, whose `error.cause` is a
   * `SuspensionError`.
   *
   * @param suspension what `run.suspension` was, also after JSON
   *
   * @example
   * const run = await support.resume(suspension, { call_17: 'approve' }, { sessionId: 's-1', env: { approval } })
   */
  resume<OwnEnv = Env>(
    suspension: WithoutOptions<RunSuspension, never, OwnEnv>,
    answers: Answers,
    options?: PlainRunOptions,
  ): RunHandle
  resume<ConfigEnv = unknown>(
    suspension: RunSuspension,
    answers: Answers,
    options: RunOptions & EnvOption<Env & ConfigEnv> & { readonly config?: RunConfig<ConfigEnv> | undefined },
  ): RunHandle
  // `any`: as for `run`.
  resume(suspension: any, answers: Answers, options: object = {}): RunHandle {
    return resumeRun(this.#runnable, { suspension, answers }, resolveOptions(options))
  }

  /** Parts that the runtime needs to run the agent. */
  get runnable(): RunnableAgent {
    return this.#runnable
  }

  #withScope(scope: LayerScope): BoundAgent<any> {
    // `any`: the return types of the public methods say what is needed.
    const { target, ...runnable } = this.#runnable
    return new BoundAgent({ ...runnable, target: target.withScope(scope) })
  }
}

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

/** Options of a registered agent: `agent` or `planner`, not both. */
export interface AgentOptions<Env = unknown> {
  /** Short for `agent: base().with(usePlanner(planner)).build()`. Without either, tools can be executed, and a run fails. */
  readonly planner?: Planner | undefined
  /** A built agent. Its tools are added to those of the design; its layers are the agent's own. */
  readonly agent?: Agent<Env> | undefined
  /** Limits in addition to those of the design: of numbers the strictest counts, of modes the last. */
  readonly policy?: RunPolicy | undefined
}

/** Options of `runtime.close`. */
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
