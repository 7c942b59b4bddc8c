import { requireLayer } from '../call/layer-guard.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { BuilderParts } from './agent.js'
import { type Agent, buildAgent } from './agent.js'

/**
 * A function that returns a builder with additions. `More` is the `env` type that it requires.
 *
 * @example
 * const careful = (guards: Guards): Feature => (builder) => builder.with(useGuards(guards)).with(useHook('onStop', report))
 */
export type Feature<in More = unknown> = <E>(builder: AgentBuilder<E>) => AgentBuilder<E & More>

/**
 * Builds agents. `base`, `standard` and the generated `new<Agent>` functions return one. Immutable: every method
 * returns a new builder. The order of calls matters in two cases: the last added layer, hook of a priority, or wrap of
 * the message compiler is the outermost; and if two features set the same option, the last applies. `Env` is the type
 * that layers, hooks and tools require.
 *
 * @example
 * const agent = standard(driver).with(useContext({ systemPrompt: 'Be brief.' })).layer(retry()).build()
 * const support = registerSupport(new Runtime(), { agent, toolsets: { orders: { client } } })
 */
export class AgentBuilder<in Env = unknown> {
  /** Exists only in the type: makes TypeScript compare `Env`. */
  readonly '~env'?: (env: Env) => void
  readonly #parts: BuilderParts

  constructor(parts: BuilderParts) {
    // Several builders share these arrays, so they are frozen.
    for (const part of Object.values(parts)) if (typeof part === 'object') Object.freeze(part)
    this.#parts = Object.freeze(parts)
  }

  /** Returns a builder with the feature. */
  with(feature: Feature): AgentBuilder<Env>
  with<More>(feature: Feature<More>): AgentBuilder<Env & More>
  with(feature: Feature<any>): AgentBuilder<any> {
    if (typeof feature !== 'function')
      throw new TypeError('.with() expects a feature, for example useGuards({ maxSteps: 10 }).')
    const builder: unknown = feature(this)
    if (builder instanceof AgentBuilder) return builder
    throw new TypeError('A feature must return a builder. Write (builder) => builder.with(...).')
  }

  /** Adds a layer around every tool call, inside the hooks and outside the tools' layers. The last is the outermost. */
  layer(layer: ToolLayer): AgentBuilder<Env>
  layer<More>(layer: ToolLayer<More>): AgentBuilder<Env & More>
  layer(layer: ToolLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.layer(layer)] }))
  }

  /** Adds a layer around every step of the agent's runs, inside the hooks. */
  stepLayer(layer: StepLayer): AgentBuilder<Env>
  stepLayer<More>(layer: StepLayer<More>): AgentBuilder<Env & More>
  stepLayer(layer: StepLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.stepLayer(layer)] }))
  }

  /** Adds a layer around the agent's runs, inside the hooks. */
  runLayer(layer: RunLayer): AgentBuilder<Env>
  runLayer<More>(layer: RunLayer<More>): AgentBuilder<Env & More>
  runLayer(layer: RunLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.runLayer(layer)] }))
  }

  /**
   * Builds the agent and calls the tool factories.
   *
   * @throws {TypeError} if the agent has neither a driver nor a planner.
   * @throws {BindingError} with all errors of its tools.
   */
  build(): Agent<Env> {
    return buildAgent(this.#parts)
  }

  /** Everything added so far. For features. */
  get parts(): BuilderParts {
    return this.#parts
  }
}

/** Returns a builder with changed parts. `any`: the type of the feature has the `env` that it requires. */
export function withParts(
  { parts }: AgentBuilder<any>,
  change: (parts: BuilderParts) => Partial<BuilderParts>,
): AgentBuilder<any> {
  return new AgentBuilder({ ...parts, ...change(parts) })
}
