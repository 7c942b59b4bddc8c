import type { RunLayer, StepLayer, ToolLayer, ToolService } from '../types/layer.js'
import type { AgentRun, RunRequest, StepRequest, StepResult } from '../types/run.js'
import type { Service } from '../types/tool.js'
import { guardLayer, requireLayer } from './layer-guard.js'

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
