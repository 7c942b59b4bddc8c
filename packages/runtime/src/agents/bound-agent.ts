import { BoundTools, type OptionsWithEnv } from '../call/bound-toolset.js'
import { resolveOptions } from '../call/call-target.js'
import type { LayerScope } from '../call/layer-scope.js'
import type { CallOptions, WithoutOptions } from '../types/call-options.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { Answers, RunSuspension } from '../types/outcome.js'
import type { ModelLayer, Planner } from '../types/planner.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { RunInput, RunPolicy } from '../types/run.js'
import type { Agent } from './agent.js'
import { noPlanner } from './decision.js'
import type { RunHandle } from './run-handle.js'
import type { RunnableAgent } from './start-run.js'
import { resumeRun, startRun } from './start-run.js'

/**
 * Options of a run: the options of a call, except `deadline` and `onUpdate`. In place of `deadline`, set `timeBudgetMs` in a policy. In place of
 * `onUpdate`, read the events of the run.
 */
export type RunOptions = Omit<CallOptions, 'deadline' | 'onUpdate'>

/**
 * Registered agent. Executes tool calls and runs the agent's planner. `Env` is the type of the option `env` (objects of the application, such as an
 * approver) that the tools, hooks and layers require. Immutable: methods such as `layer` and `modelLayer` return a new agent with the same tools.
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
   * Adds a layer around every tool call. The layer runs outside the hooks, the layers of the agent builder and the layers of the tools. The layer
   * that you add last is the outermost. Only the layers of the option `config` (see `runConfig`) run outside this layer.
   */
  layer(layer: ToolLayer): BoundAgent<Env>
  layer<More>(layer: ToolLayer<More>): BoundAgent<Env & More>
  layer(layer: ToolLayer<any>): BoundAgent<any> {
    return this.#withScope(this.#runnable.target.scope.layer(layer))
  }

  /** Adds a layer around every step of the agent's runs. The layer runs outside the hooks and the layers of the agent builder. */
  stepLayer(layer: StepLayer): BoundAgent<Env>
  stepLayer<More>(layer: StepLayer<More>): BoundAgent<Env & More>
  stepLayer(layer: StepLayer<any>): BoundAgent<any> {
    return this.#withScope(this.#runnable.target.scope.stepLayer(layer))
  }

  /** Adds a layer around every run of the agent. The layer runs outside the hooks and the layers of the agent builder. */
  runLayer(layer: RunLayer): BoundAgent<Env>
  runLayer<More>(layer: RunLayer<More>): BoundAgent<Env & More>
  runLayer(layer: RunLayer<any>): BoundAgent<any> {
    return this.#withScope(this.#runnable.target.scope.runLayer(layer))
  }

  /** Adds a layer around every request to a model in the agent's runs. The layer runs outside the model hooks. */
  modelLayer(layer: ModelLayer): BoundAgent<Env> {
    return this.#withScope(this.#runnable.target.scope.modelLayer(layer))
  }

  /**
   * Runs the agent: asks its planner and calls tools until the planner answers or a limit stops the run. Never rejects: after an error, the
   * run has the status `failed`.
   *
   * @param input the user's text, or the conversation so far
   *
   * @example
   * const { status, result } = await support.run('Where is my order?', { sessionId: 's-1', env: { approval } })
   */
  run<OwnEnv = Env>(input: WithoutOptions<RunInput, never, OwnEnv>): RunHandle
  run<ConfigEnv = unknown, OwnEnv = Env>(
    input: RunInput,
    options: OptionsWithEnv<RunOptions, Env, ConfigEnv, OwnEnv>,
  ): RunHandle
  // `any`: the overloads have the precise types.
  run(input: any, options: object = {}): RunHandle {
    return startRun(this.#runnable, input, resolveOptions(options))
  }

  /**
   * Continues a suspended run. You can resume a suspension only once. First, the answered calls continue: for example, an approved call runs, and a
   * denied call fails. When these calls have ended, the run asks the planner again. If a call still has no answer, the run suspends again. Pass the
   * same `env`, session and configuration that you passed to the suspended run. Never throws or rejects: if the suspension is not valid, the run
   * fails and `error.cause` is a `SuspensionError`.
   *
   * @param suspension value of `run.suspension`, or a copy that was stored as JSON
   *
   * @example
   * const run = await support.resume(suspension, { call_17: 'approve' }, { sessionId: 's-1', env: { approval } })
   */
  resume<OwnEnv = Env>(suspension: WithoutOptions<RunSuspension, never, OwnEnv>, answers: Answers): RunHandle
  resume<ConfigEnv = unknown, OwnEnv = Env>(
    suspension: RunSuspension,
    answers: Answers,
    options: OptionsWithEnv<RunOptions, Env, ConfigEnv, OwnEnv>,
  ): RunHandle
  // `any`: the overloads have the precise types.
  resume(suspension: any, answers: Answers, options: object = {}): RunHandle {
    return resumeRun(this.#runnable, { suspension, answers }, resolveOptions(options))
  }

  /** True if the agent was registered with a planner or a model. If false, every run of the agent fails. */
  get canRun(): boolean {
    return this.#runnable.planner !== noPlanner
  }

  /** Internal: data that the runtime needs to run the agent. */
  get runnable(): RunnableAgent {
    return this.#runnable
  }

  #withScope(scope: LayerScope): BoundAgent<any> {
    // `any`: the return types of the public methods are precise.
    const { target, ...runnable } = this.#runnable
    return new BoundAgent({ ...runnable, target: target.withScope(scope) })
  }
}

/** Options to register an agent. Set only one of `agent` and `planner`. */
export interface AgentOptions<Env = unknown> {
  /**
   * Planner of the agent. Same as the option `agent: base().with(usePlanner(planner)).build()`. If you pass neither `planner` nor `agent`, every
   * run fails.
   */
  readonly planner?: Planner | undefined
  /** Built agent. The runtime adds the tools of this agent to the tools of the design. Default: an agent that uses `planner`. */
  readonly agent?: Agent<Env> | undefined
  /**
   * Limits in addition to the limits of the design. If the design sets the same limit, the smaller number applies. `onMissingFields` and
   * `onFailure` override the values of the design.
   */
  readonly policy?: RunPolicy | undefined
}
