import type { RunLayer, StepLayer, ToolLayer, ToolService } from '../types/layer.js'
import type { ModelLayer } from '../types/planner.js'
import type { AgentRun, RunRequest, StepRequest, StepResult } from '../types/run.js'
import type { Service } from '../types/tool.js'
import { guardLayer, requireLayer } from './layer-guard.js'

// `any` in this file: the classes with a `layer` method check the `env` of layers by type.
type StepService = Service<StepRequest<any>, StepResult>
type RunService = Service<RunRequest<any>, AgentRun>

interface Wraps {
  readonly tool: (service: ToolService<any>) => ToolService<any>
  readonly step: (service: StepService) => StepService
  readonly run: (service: RunService) => RunService
  readonly model?: ModelLayer
}

const same = <Value>(value: Value): Value => value

/**
 * Layers of an agent or of a run configuration, around tool calls, requests to models, steps and runs. Immutable.
 *
 * In each scope, the layer that you add last is the outermost. The scopes are nested in this order, from the outermost to the innermost:
 *
 * 1. run: `runConfig().layer(...)`; these layers also wrap nested runs of agents
 * 2. registered agent: `.layer(...)` of a `BoundAgent`
 * 3. hooks of the agent, by descending priority
 * 4. builder of the agent: `.layer(...)` of an `AgentBuilder`
 * 5. toolset and tool: `.layer(...)` and `.tool(...)` of a registration, in the order of these calls
 * 6. the tool
 *
 * The order is the same for sequential calls, parallel calls and streaming tools. The same order applies to layers of `stepLayer`, `runLayer` and
 * `modelLayer`. Toolsets and tools do not have such layers.
 */
export class LayerScope {
  readonly #wraps: Wraps

  constructor(wraps: Wraps = { tool: same, step: same, run: same }) {
    this.#wraps = wraps
  }

  layer(layer: ToolLayer<any>): LayerScope {
    const { tool } = this.#wraps
    requireLayer(layer)
    return this.#with({ tool: (service) => guardLayer(layer, tool(service)) })
  }

  stepLayer(layer: StepLayer<any>): LayerScope {
    const { step } = this.#wraps
    requireLayer(layer)
    return this.#with({ step: (service) => layer(step(service)) })
  }

  runLayer(layer: RunLayer<any>): LayerScope {
    const { run } = this.#wraps
    requireLayer(layer)
    return this.#with({ run: (service) => layer(run(service)) })
  }

  modelLayer(layer: ModelLayer): LayerScope {
    const { model = same } = this.#wraps
    requireLayer(layer)
    return this.#with({ model: (service) => layer(model(service)) })
  }

  get wrapModel(): ModelLayer | undefined {
    return this.#wraps.model
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
