import type { RunLayer, StepLayer, ToolLayer } from '../contract/layer.js'
import type { RunPolicy } from '../contract/run-policy.js'
import { joinPolicies } from './join-policies.js'
import { LayerScope } from './layer-scope.js'

/** What a {@link RunConfig} is made of. */
interface ConfigParts {
  readonly scope: LayerScope
  readonly policy: RunPolicy
  readonly labels: Readonly<Record<string, string>>
}

/**
 * What a caller says of a run: layers of the run scope, a policy, labels. A single call takes the layers and labels of one
 * too. `Env` names what the layers need. Immutable; one value may serve any number of runs.
 *
 * @example
 * const careful = runConfig().layer(approval()).policy({ maxToolCalls: 20 })
 * support.run('Cancel my order', { config: careful, env: { approval } })
 */
export class RunConfig<in Env = unknown> {
  /** Makes `Env` count in assignability; never present. */
  readonly '~env'?: (env: Env) => void
  readonly #parts: ConfigParts

  constructor(parts: ConfigParts) {
    this.#parts = parts
  }

  /** Wraps every tool call beneath the run, outside the layers of the agent; the last layer is the outermost. */
  layer(layer: ToolLayer): RunConfig<Env>
  layer<More>(layer: ToolLayer<More>): RunConfig<Env & More>
  layer(layer: ToolLayer<any>): RunConfig<any> {
    return this.#with({ scope: this.#parts.scope.layer(layer) })
  }

  /** Wraps every step of the run. */
  stepLayer(layer: StepLayer): RunConfig<Env>
  stepLayer<More>(layer: StepLayer<More>): RunConfig<Env & More>
  stepLayer(layer: StepLayer<any>): RunConfig<any> {
    return this.#with({ scope: this.#parts.scope.stepLayer(layer) })
  }

  /** Wraps the whole run. */
  runLayer(layer: RunLayer): RunConfig<Env>
  runLayer<More>(layer: RunLayer<More>): RunConfig<Env & More>
  runLayer(layer: RunLayer<any>): RunConfig<any> {
    return this.#with({ scope: this.#parts.scope.runLayer(layer) })
  }

  /** Adds limits: of numbers the strictest counts, of modes the last. */
  policy(policy: RunPolicy): RunConfig<Env> {
    return this.#with({ policy: joinPolicies(this.#parts.policy, policy) })
  }

  /** Adds labels; an equal name is replaced. */
  labels(labels: Readonly<Record<string, string>>): RunConfig<Env> {
    return this.#with({ labels: { ...this.#parts.labels, ...labels } })
  }

  /** What the runtime runs: the layers of this configuration, its limits and its labels. */
  get parts(): ConfigParts {
    return this.#parts
  }

  #with(parts: Partial<ConfigParts>): RunConfig<any> {
    // `any`: the return types of the public methods say what is needed.
    return new RunConfig({ ...this.#parts, ...parts })
  }
}

/** A run configuration without layers, limits and labels. */
export function runConfig(): RunConfig {
  return new RunConfig({ scope: new LayerScope(), policy: {}, labels: {} })
}
