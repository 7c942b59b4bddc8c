import type { RunLayer, StepLayer, ToolLayer } from '../../contract/layer.js'
import { requireLayer } from '../../layer/guard-layer.js'
import type { Agent } from './agent.js'
import { buildAgent } from './build-agent.js'
import type { BuilderParts } from './builder-parts.js'

/**
 * Adds something to an agent: a pure function from builder to builder. `More` names what it needs of the env.
 *
 * @example
 * const careful = (guards: Guards): Feature => (builder) => builder.with(useGuards(guards)).with(useHook('onStop', report))
 */
export type Feature<in More = unknown> = <E>(builder: AgentBuilder<E>) => AgentBuilder<E & More>

/**
 * Makes agents; begun by `base` or `standard`, or by the `new<Agent>` of generated code. Immutable: every method returns a
 * new builder. The order of features does not matter, except among layers, hooks of one priority and wraps of the message
 * compiler, where the last is the outermost, and where two set the same thing, where the last counts. `Env` names what
 * layers, hooks and tools need.
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
    // Builders share what one of them has added.
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
   * The agent, ready to be registered. Tool factories run now.
   *
   * @throws {TypeError} where nobody decides what the agent does: neither a driver nor a planner was given.
   * @throws {BindingError} listing every fault of its tools.
   */
  build(): Agent<Env> {
    return buildAgent(this.#parts)
  }

  /** What was gathered so far; for features. */
  get parts(): BuilderParts {
    return this.#parts
  }
}

/** A builder with other parts. `any`: the feature that does it says what it needs. */
export function withParts(
  { parts }: AgentBuilder<any>,
  change: (parts: BuilderParts) => Partial<BuilderParts>,
): AgentBuilder<any> {
  return new AgentBuilder({ ...parts, ...change(parts) })
}
