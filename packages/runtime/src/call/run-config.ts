import { either } from '../schema/wording.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { ModelLayer } from '../types/planner.js'
import type { RunPolicy } from '../types/run.js'
import { type Budget, requireBudget } from './budget.js'
import { LayerScope } from './layer-scope.js'

interface ConfigParts {
  readonly scope: LayerScope
  readonly policy: RunPolicy
  readonly labels: Readonly<Record<string, string>>
  readonly budgets: readonly Budget[]
}

/**
 * Configuration of runs: layers, a policy, labels and budgets. A call outside a run uses only the layers and labels of the configuration. `Env` is
 * the type of the option `env` (objects of the application, such as an approver) that the layers require. Immutable. You can use one configuration
 * for any number of runs.
 *
 * @example
 * const careful = runConfig().layer(approval()).policy({ maxToolCalls: 20 })
 * support.run('Cancel my order', { config: careful, env: { approval } })
 */
export class RunConfig<in Env = unknown> {
  /** Property that exists only in the type, so that TypeScript compares the type argument `Env`. */
  readonly '~env'?: (env: Env) => void
  readonly #parts: ConfigParts

  constructor(parts: ConfigParts) {
    this.#parts = parts
  }

  /** Adds a layer around every tool call of the run and its nested runs. The last added layer is the outermost. */
  layer(layer: ToolLayer): RunConfig<Env>
  layer<More>(layer: ToolLayer<More>): RunConfig<Env & More>
  layer(layer: ToolLayer<any>): RunConfig<any> {
    return this.#with({ scope: this.#parts.scope.layer(layer) })
  }

  /** Adds a layer around every step of the run. The last added layer is the outermost. */
  stepLayer(layer: StepLayer): RunConfig<Env>
  stepLayer<More>(layer: StepLayer<More>): RunConfig<Env & More>
  stepLayer(layer: StepLayer<any>): RunConfig<any> {
    return this.#with({ scope: this.#parts.scope.stepLayer(layer) })
  }

  /** Adds a layer around the whole run. The last added layer is the outermost. */
  runLayer(layer: RunLayer): RunConfig<Env>
  runLayer<More>(layer: RunLayer<More>): RunConfig<Env & More>
  runLayer(layer: RunLayer<any>): RunConfig<any> {
    return this.#with({ scope: this.#parts.scope.runLayer(layer) })
  }

  /** Adds a layer around every request to a model in the run and its nested runs. The last added layer is the outermost. */
  modelLayer(layer: ModelLayer): RunConfig<Env> {
    return this.#with({ scope: this.#parts.scope.modelLayer(layer) })
  }

  /**
   * Adds limits. For a number such as `maxTurns`, the smallest of all added values applies. For a mode such as `onFailure`, the most recently added
   * value applies.
   */
  policy(policy: RunPolicy): RunConfig<Env> {
    return this.#with({ policy: joinPolicies(this.#parts.policy, policy) })
  }

  /** Adds labels such as `{ tenant: 'acme' }`. A new label replaces a label with the same name. */
  labels(labels: Readonly<Record<string, string>>): RunConfig<Env> {
    return this.#with({ labels: { ...this.#parts.labels, ...labels } })
  }

  /**
   * Adds a budget for the run and its nested runs. To share a limit, for example between all runs of a tenant, use the same budget for
   * these runs.
   *
   * @throws {TypeError} if `budget` is not a budget.
   */
  budget(budget: Budget): RunConfig<Env> {
    return this.#with({ budgets: [...this.#parts.budgets, requireBudget('runConfig().budget()', budget)] })
  }

  /** Layers, limits, labels and budgets of the configuration. Internal. */
  get parts(): ConfigParts {
    return this.#parts
  }

  #with(parts: Partial<ConfigParts>): RunConfig<any> {
    // `any`: the return types of the public methods are precise.
    return new RunConfig({ ...this.#parts, ...parts })
  }
}

/** Returns a run configuration without layers, limits, labels and budgets. */
export function runConfig(): RunConfig {
  return new RunConfig({ scope: new LayerScope(), policy: {}, labels: {}, budgets: [] })
}

const LIMITS = [
  ...(['maxToolCalls', 'maxTurns', 'maxConsecutiveFailures', 'maxTokens', 'maxCost'] as const),
  ...(['timeBudgetMs', 'toolTimeoutMs', 'parallelism', 'maxDepth'] as const),
]

/** @throws {TypeError} if a limit is not a number of at least 0 (`parallelism`: 1), or if a mode is unknown. */
export function joinPolicies(...policies: readonly (RunPolicy | undefined)[]): RunPolicy {
  const present = policies.filter((policy) => policy !== undefined && policy !== null)
  for (const policy of present) requirePolicy(policy)
  const limits = LIMITS.flatMap((name) => {
    const values = present.map((policy) => policy[name]).filter((value) => value !== undefined)
    return values.length === 0 ? [] : [[name, Math.min(...values)] as const]
  })
  const onMissingFields = present.flatMap((policy) => policy.onMissingFields ?? []).at(-1)
  const onFailure = present.flatMap((policy) => policy.onFailure ?? []).at(-1)
  return Object.freeze({
    ...Object.fromEntries(limits),
    ...(onMissingFields !== undefined && { onMissingFields }),
    ...(onFailure !== undefined && { onFailure }),
  })
}

function requirePolicy(policy: RunPolicy): void {
  for (const name of LIMITS) {
    const value: unknown = policy[name]
    const least = name === 'parallelism' ? 1 : 0
    if (value !== undefined && (typeof value !== 'number' || !(value >= least))) {
      throw new TypeError(`policy.${name} is ${String(value)}. Expected a number of at least ${least}.`)
    }
  }
  requireMode('onMissingFields', policy.onMissingFields, ['resume', 'finalize', 'await_clarification'])
  requireMode('onFailure', policy.onFailure, ['join_all', 'fail_fast'])
}

function requireMode(name: string, mode: unknown, modes: readonly string[]): void {
  if (mode === undefined || modes.some((known) => known === mode)) return
  throw new TypeError(`policy.${name} is '${String(mode)}'. Expected ${either(modes.map((known) => `'${known}'`))}.`)
}
