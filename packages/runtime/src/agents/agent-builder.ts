import { requireLayer } from '../call/layer-guard.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { BuilderParts } from './agent.js'
import { type Agent, buildAgent } from './agent.js'

/**
 * Adds something to an agent: a pure function from builder to builder. `More` is the env that it needs.
 *
 * @example
 * const careful = (guards: Guards): Feature => (builder) => builder.with(useGuards(guards)).with(useHook('onStop', report))
 */
export type Feature<in More = unknown> = <E>(builder: AgentBuilder<E>) => AgentBuilder<E & More>

/**
 * Builds agents; returned by `base`, `standard` and the `new<Agent>` functions of generated code. Immutable: every method
 * returns a new builder. The order of features matters only among layers, hooks of one priority and wraps of the message
 * compiler, where the last is the outermost, and between two features that set the same option, where the last counts.
 * `Env` is the env that layers, hooks and tools need.
 *
 * @example
 * const agent = standard(driver).with(useContext({ systemPrompt: 'Be brief.' })).layer(retry()).build()
 * const support = registerSupport(new Runtime(), { agent, toolsets: { orders: { client } } })
 */
export class AgentBuilder<in Env = unknown> {
  /** Makes `Env` count in assignability; never present. */
  readonly '~env'?: (env: Env) => void
  readonly #parts: BuilderParts

  constructor(parts: BuilderParts) {
    // Builders share the features that one of them has added.
    for (const part of Object.values(parts)) if (typeof part === 'object') Object.freeze(part)
    this.#parts = Object.freeze(parts)
  }

  /** Adds a feature. */
  with(feature: Feature): AgentBuilder<Env>
  with<More>(feature: Feature<More>): AgentBuilder<Env & More>
  with(feature: Feature<any>): AgentBuilder<any> {
    if (typeof feature !== 'function') throw new TypeError('.with() takes a feature, e.g. useGuards({ maxSteps: 10 })')
    const builder: unknown = feature(this)
    if (builder instanceof AgentBuilder) return builder
    throw new TypeError('a feature gave back no builder: write (builder) => builder.with(...)')
  }

  /** Wraps every tool call of the agent, inside its hooks and outside the layers of its tools; the last is the outermost. */
  layer(layer: ToolLayer): AgentBuilder<Env>
  layer<More>(layer: ToolLayer<More>): AgentBuilder<Env & More>
  layer(layer: ToolLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.layer(layer)] }))
  }

  /** Wraps every step of the agent's runs, inside its hooks. */
  stepLayer(layer: StepLayer): AgentBuilder<Env>
  stepLayer<More>(layer: StepLayer<More>): AgentBuilder<Env & More>
  stepLayer(layer: StepLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.stepLayer(layer)] }))
  }

  /** Wraps the agent's runs as wholes, inside its hooks. */
  runLayer(layer: RunLayer): AgentBuilder<Env>
  runLayer<More>(layer: RunLayer<More>): AgentBuilder<Env & More>
  runLayer(layer: RunLayer<any>): AgentBuilder<any> {
    requireLayer(layer)
    return withParts(this, ({ layers }) => ({ layers: [...layers, (scope) => scope.runLayer(layer)] }))
  }

  /**
   * Builds the agent, ready to be registered. Runs the tool factories.
   *
   * @throws {TypeError} for an agent with neither a driver nor a planner.
   * @throws {BindingError} listing every error of its tools.
   */
  build(): Agent<Env> {
    return buildAgent(this.#parts)
  }

  /** Parts added so far; for features. */
  get parts(): BuilderParts {
    return this.#parts
  }
}

/** Returns a builder with other parts. `any`: the type of the feature says which env it needs. */
export function withParts(
  { parts }: AgentBuilder<any>,
  change: (parts: BuilderParts) => Partial<BuilderParts>,
): AgentBuilder<any> {
  return new AgentBuilder({ ...parts, ...change(parts) })
}
