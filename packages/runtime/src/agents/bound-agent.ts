import { BoundTools } from '../call/bound-toolset.js'
import { resolveOptions } from '../call/call-target.js'
import type { LayerScope } from '../call/layer-scope.js'
import type { RunConfig } from '../call/run-config.js'
import type { CallOptions, EnvOption, WithoutOptions } from '../types/call-options.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { Answers, RunSuspension } from '../types/outcome.js'
import type { Planner } from '../types/planner.js'
import type { AgentDescriptor } from '../types/registration.js'
import type { RunInput, RunPolicy } from '../types/run.js'
import type { Agent } from './agent.js'
import type { RunHandle } from './run-handle.js'
import type { RunnableAgent } from './start-run.js'
import { resumeRun, startRun } from './start-run.js'

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

/** Options of a registered agent: `agent` or `planner`, not both. */
export interface AgentOptions<Env = unknown> {
  /** Short for `agent: base().with(usePlanner(planner)).build()`. Without either, tools can be executed, and a run fails. */
  readonly planner?: Planner | undefined
  /** A built agent. Its tools are added to those of the design; its layers are the agent's own. */
  readonly agent?: Agent<Env> | undefined
  /** Limits in addition to those of the design: of numbers the strictest counts, of modes the last. */
  readonly policy?: RunPolicy | undefined
}
