import { hasModelHooks } from '../../hook/model-hooks.js'
import { runHooks } from '../../hook/run-hooks.js'
import type { StepFrames } from '../../hook/step-frames.js'
import { stepHooks } from '../../hook/step-hooks.js'
import { toolHooks } from '../../hook/tool-hooks.js'
import { LayerScope } from '../../layer/layer-scope.js'
import type { BuilderParts } from './builder-parts.js'

/** Layers of a builder in the order in which they were added, with the hooks around them; see {@link LayerScope}. */
export function agentScope({ layers, hooks }: BuilderParts, frames: StepFrames): LayerScope {
  const empty = new LayerScope()
  const framed = hasModelHooks(hooks) ? empty.stepLayer(frames.layer) : empty
  const layered = layers.reduce((scope, add) => add(scope), framed)
  const aroundTools = toolHooks(hooks)
  const withTools = aroundTools === undefined ? layered : layered.layer(aroundTools)
  const aroundSteps = stepHooks(hooks)
  const withSteps = aroundSteps === undefined ? withTools : withTools.stepLayer(aroundSteps)
  const aroundRuns = runHooks(hooks)
  return aroundRuns === undefined ? withSteps : withSteps.runLayer(aroundRuns)
}
