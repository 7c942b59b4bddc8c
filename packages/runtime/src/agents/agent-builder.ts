import { requireLayer } from '../call/layer-guard.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { ModelLayer } from '../types/planner.js'
import type { BuilderParts } from './agent.js'
import { type Agent, buildAgent } from './agent.js'

/**
 * Function that receives an agent builder and returns a new builder with additions, for example limits or hooks. `More` is the type of the option
 * `env` that the additions require.
 *
 * @example
 * const careful = (guards: Guards): Feature => (builder) => builder.with(useGuards(guards)).with(useHook('onStop', report))
 */
export type Feature<in More = unknown> = <E>(builder: AgentBuilder<E>) => AgentBuilder<E & More>

/**
 * Builds agents. The functions `base` and `standard` and the generated functions `new<Agent>` return a builder. A builder is immutable: every method
 * returns a new builder. `Env` is the type of the option `env` (objects of the application, such as an approver) that layers, hooks and tools
 * require.
 *
 * The order of calls matters in three cases:
 * - The layer that you add last is the outermost. The same applies to the functions of `wrapMessageCompiler`.
 * - Hooks of equal priority run in the order in which they were added.
 * - If two features set the same option, the value of the last added feature applies.
 *
 * @example
 * const agent = standard(driver).with(useContext({ systemPrompt: 'Be brief.' })).layer(retry()).build()
 * const support = registerSupport(new Runtime(), { agent, toolsets: { orders: { client } } })
 */
export class AgentBuilder<in Env = unknown> {
  /** Property that exists only in the type, so that TypeScript compares `Env` when you assign one builder to another. */
  readonly '~env'?: (env: Env) => void
  readonly #parts: BuilderParts

  constructor(parts: BuilderParts) {
    // Several builders share these arrays, so they are frozen.
    for (const part of Object.values(parts)) if (typeof part === 'object') Object.freeze(part)
    this.#parts = Object.freeze(parts)
  }

  /** Returns a new builder with the additions of `feature`. */
  with(feature: Feature): AgentBuilder<Env>
  with<More>(feature: Feature<More>): AgentBuilder<Env & More>
  with(feature: Feature<any>): AgentBuilder<any> {
    if (typeof feature !== 'function')
      throw new TypeError('.with() expects a feature, for example useGuards({ maxSteps: 10 }).')
    const builder: unknown = feature(this)
    if (builder instanceof AgentBuilder) return builder
    throw new TypeError('A feature must return a builder. Write (builder) => builder.with(...).')
  }

  /**
   * Adds a layer around every tool call. The layer runs inside the agent's hooks and outside the layers of the tools. The layer that you add last is
   * the outermost.
   */
  layer(layer: ToolLayer): AgentBuilder<Env>
  layer<More>(layer: ToolLayer<More>): AgentBuilder<Env & More>
  layer(layer: ToolLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.layer(layer)] }))
  }

  /** Adds a layer around every step of the agent's runs. The layer runs inside the agent's hooks. */
  stepLayer(layer: StepLayer): AgentBuilder<Env>
  stepLayer<More>(layer: StepLayer<More>): AgentBuilder<Env & More>
  stepLayer(layer: StepLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.stepLayer(layer)] }))
  }

  /** Adds a layer around every run of the agent. The layer runs inside the agent's hooks. */
  runLayer(layer: RunLayer): AgentBuilder<Env>
  runLayer<More>(layer: RunLayer<More>): AgentBuilder<Env & More>
  runLayer(layer: RunLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.runLayer(layer)] }))
  }

  /** Adds a layer around every request of the agent to a model. The layer runs outside the model hooks of the agent. */
  modelLayer(layer: ModelLayer): AgentBuilder<Env> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.modelLayer(layer)] }))
  }

  /**
   * Builds the agent. Calls the functions that you added with `useToolFactory`.
   *
   * @throws {TypeError} if the agent has neither a driver nor a planner.
   * @throws {BindingError} if tools of the agent are invalid. The error lists all problems.
   */
  build(): Agent<Env> {
    return buildAgent(this.#parts)
  }

  /** Internal: the current configuration of this builder. Features read and extend the configuration. */
  get parts(): BuilderParts {
    return this.#parts
  }
}

/** Each feature checks the type of `env`, so `env` is `any` here. */
export function withParts(
  { parts }: AgentBuilder<any>,
  change: (parts: BuilderParts) => Partial<BuilderParts>,
): AgentBuilder<any> {
  return new AgentBuilder({ ...parts, ...change(parts) })
}
