import { deepEqual } from '../schema/json-values.js'
import type { RunLayer, StepLayer, ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentRun, RunPolicy, RunRequest, StepRequest, StepResult } from '../types/run.js'
import type { Service } from '../types/tool.js'
import { CallRequest } from './call-request.js'
import { isFailureReason } from './tool-failure.js'

/**
 * Applies a layer. Errors, and responses other than an outcome of this call, become a failure of the call before
 * outer layers see it.
 *
 * @throws {TypeError} for a value that is no layer.
 */
export function guardLayer(layer: ToolLayer<any>, next: ToolService<any>): ToolService<any> {
  // `any`: what layers need of the env is checked by the types of `layer` and of the calls, not here.
  const service: unknown = requireLayer(layer)(next)
  if (typeof service !== 'function') {
    throw new TypeError('a layer returned no service: write (next) => async (request) => next(request)')
  }
  return async (request) => {
    try {
      const outcome: unknown = await service(request)
      if (!isOutcome(outcome)) {
        return await request.fail(new TypeError('a layer returned no outcome: return the outcome of next(request)'))
      }
      const execution = request instanceof CallRequest ? request.execution : undefined
      const accepted = outcome.call === request.call ? outcome : ownCopy(outcome, execution?.lastOutcome)
      if (accepted === undefined) return await request.fail(otherCall(request))
      if (execution !== undefined) execution.lastOutcome = accepted
      return accepted
    } catch (error) {
      return await request.fail(error)
    }
  }
}

/** A cached outcome, for example, may be one of another user. Equal ids prove nothing: models reuse them. */
function otherCall({ tool }: ToolRequest<any>): TypeError {
  return new TypeError(
    `a layer of '${tool.id}' returned the outcome of another call: return the outcome of next(request) or a copy of it, and build a stored result again with request.complete(value); keep \`call\` and \`provenance\` in a copy, or set \`call: request.call\``,
  )
}

/** Returns a deep copy of the call's latest outcome with the call itself; `undefined` for any other outcome. */
function ownCopy(outcome: ToolOutcome, latest: ToolOutcome | undefined): ToolOutcome | undefined {
  if (latest === undefined) return undefined
  const { call, provenance } = latest
  const isCopy = deepEqual(outcome.call, call) && deepEqual(outcome.provenance, provenance)
  return isCopy ? Object.freeze({ ...outcome, call }) : undefined
}

/** @throws {TypeError} for a value that is no layer. */
export function requireLayer<Layer>(layer: Layer): Layer {
  if (typeof layer === 'function') return layer
  throw new TypeError('.layer() takes one layer, a function (next) => async (request) => next(request)')
}

/** Checks the parts of an outcome that others rely on. */
function isOutcome(value: unknown): value is ToolOutcome {
  if (!isObject(value) || !isObject(value.call) || !isObject(value.provenance)) return false
  const { stop } = value
  if (stop !== undefined && !(isObject(stop) && stop.reason === 'final' && stop.value !== undefined)) return false
  switch (value.status) {
    case 'completed':
      return isObject(value.result) && typeof value.json === 'string'
    case 'failed': {
      const { error, hint } = value
      if (!isObject(error) || !isObject(hint)) return false
      return isFailureReason(hint.reason) && typeof hint.message === 'string' && typeof hint.tool === 'string'
    }
    case 'suspended':
      return isObject(value.suspension) && SUSPENSION_KINDS.has(value.suspension.kind)
    default:
      return false
  }
}

const SUSPENSION_KINDS: ReadonlySet<unknown> = new Set(['approval', 'external', 'clarification'])

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

// `any` throughout: what layers need of the env is checked by the types of the owners of a scope.
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

  /** @throws {TypeError} for a value that is no layer. */
  layer(layer: ToolLayer<any>): LayerScope {
    const { tool } = this.#wraps
    requireLayer(layer)
    return this.#with({ tool: (service) => guardLayer(layer, tool(service)) })
  }

  /** @throws {TypeError} for a value that is no layer. */
  stepLayer(layer: StepLayer<any>): LayerScope {
    const { step } = this.#wraps
    requireLayer(layer)
    return this.#with({ step: (service) => layer(step(service)) })
  }

  /** @throws {TypeError} for a value that is no layer. */
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

interface ConfigParts {
  readonly scope: LayerScope
  readonly policy: RunPolicy
  readonly labels: Readonly<Record<string, string>>
}

/**
 * Configuration of runs: layers of the run scope, a policy, labels. A single call uses the layers and labels. `Env` names
 * the capabilities that the layers need. Immutable; one value may serve any number of runs.
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

  /** The layers, limits and labels; for the runtime. */
  get parts(): ConfigParts {
    return this.#parts
  }

  #with(parts: Partial<ConfigParts>): RunConfig<any> {
    // `any`: the return types of the public methods name what is needed.
    return new RunConfig({ ...this.#parts, ...parts })
  }
}

/** Returns a run configuration without layers, limits and labels. */
export function runConfig(): RunConfig {
  return new RunConfig({ scope: new LayerScope(), policy: {}, labels: {} })
}

const LIMITS = [
  ...(['maxToolCalls', 'maxTurns', 'maxConsecutiveFailures', 'maxTokens'] as const),
  ...(['timeBudgetMs', 'toolTimeoutMs', 'parallelism', 'maxDepth'] as const),
]

/**
 * Joins the policies of the design, the binding and the run: of numbers the strictest counts, of modes the last.
 *
 * @throws {TypeError} naming the limit that is no number from 0 on (`parallelism`: from 1 on), or the unknown mode.
 */
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
