import type { Service } from '../types/call.js'
import type { RunLayer, StepLayer, ToolLayer, ToolService } from '../types/layer.js'
import type { AgentRun, RunPolicy, RunRequest, StepRequest, StepResult } from '../types/run.js'
import { guardLayer, requireLayer } from './guard-layer.js'

// `any` throughout: what layers need of the env is checked by the types of those who hold a scope.
type StepService = Service<StepRequest<any>, StepResult>
type RunService = Service<RunRequest<any>, AgentRun>

interface Wraps {
  readonly tool: (service: ToolService<any>) => ToolService<any>
  readonly step: (service: StepService) => StepService
  readonly run: (service: RunService) => RunService
}

const same = <Value>(value: Value): Value => value

/**
 * Layers of one scope, an agent's or a run's: around tool calls, steps and runs. Immutable.
 *
 * Scopes are nested in one canonical order. Every `.layer` wraps what is there already, so the last one is the outermost of
 * its scope. From the outermost to the innermost:
 *
 * 1. run: `runConfig().layer(...)`; it also wraps the runs of agents that serve calls
 * 2. registered agent: `.layer(...)` of a `BoundAgent`
 * 3. hooks of the agent, by falling priority
 * 4. builder of the agent: `.layer(...)` of an `AgentBuilder`
 * 5. toolset and tool: `.layer(...)` and `.tool(...)` of a registration, in the order in which they were called
 * 6. the tool
 *
 * The order is the same for calls one after the other, parallel calls and streaming tools. `stepLayer` and `runLayer` have
 * it too, without 5.
 */
export class LayerScope {
  readonly #wraps: Wraps

  constructor(wraps: Wraps = { tool: same, step: same, run: same }) {
    this.#wraps = wraps
  }

  /** @throws {TypeError} when what is given is no layer. */
  layer(layer: ToolLayer<any>): LayerScope {
    const { tool } = this.#wraps
    requireLayer(layer)
    return this.#with({ tool: (service) => guardLayer(layer, tool(service)) })
  }

  /** @throws {TypeError} when what is given is no layer. */
  stepLayer(layer: StepLayer<any>): LayerScope {
    const { step } = this.#wraps
    requireLayer(layer)
    return this.#with({ step: (service) => layer(step(service)) })
  }

  /** @throws {TypeError} when what is given is no layer. */
  runLayer(layer: RunLayer<any>): LayerScope {
    const { run } = this.#wraps
    requireLayer(layer)
    return this.#with({ run: (service) => layer(run(service)) })
  }

  wrapTool(service: ToolService<any>): ToolService<any> {
    return this.#wraps.tool(service)
  }

  wrapStep(service: StepService): StepService {
    return this.#wraps.step(service)
  }

  wrapRun(service: RunService): RunService {
    return this.#wraps.run(service)
  }

  #with(wraps: Partial<Wraps>): LayerScope {
    return new LayerScope({ ...this.#wraps, ...wraps })
  }
}

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

const LIMITS = [
  'maxToolCalls',
  'maxTurns',
  'maxConsecutiveFailures',
  'maxTokens',
  'timeBudgetMs',
  'toolTimeoutMs',
  'parallelism',
  'maxDepth',
] as const

/**
 * The policies of the design, the binding and the run as one: of numbers the strictest counts, of modes the last.
 *
 * @throws {TypeError} naming the limit that is no number from 0 on (`parallelism`: from 1 on), or the unknown mode.
 */
export function joinPolicies(...policies: readonly (RunPolicy | undefined)[]): RunPolicy {
  const given = policies.filter((policy) => policy !== undefined && policy !== null)
  for (const policy of given) requirePolicy(policy)
  const limits = LIMITS.flatMap((name) => {
    const values = given.map((policy) => policy[name]).filter((value) => value !== undefined)
    return values.length === 0 ? [] : [[name, Math.min(...values)] as const]
  })
  const onMissingFields = given.flatMap((policy) => policy.onMissingFields ?? []).at(-1)
  const onFailure = given.flatMap((policy) => policy.onFailure ?? []).at(-1)
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
      throw new TypeError(`policy.${name} is ${String(value)}: give a number from ${least} on`)
    }
  }
  requireMode('onMissingFields', policy.onMissingFields, ['resume', 'finalize', 'await_clarification'])
  requireMode('onFailure', policy.onFailure, ['join_all', 'fail_fast'])
}

function requireMode(name: string, mode: unknown, modes: readonly string[]): void {
  if (mode === undefined || modes.some((known) => known === mode)) return
  throw new TypeError(`policy.${name} is '${String(mode)}': give ${modes.map((known) => `'${known}'`).join(', ')}`)
}
