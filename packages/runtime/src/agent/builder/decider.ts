import type { ModelDriver } from '../../contract/model-driver.js'
import type { Planner } from '../../contract/planner.js'
import { hasModelHooks, hookedDriver, hookedPlanner } from '../../hook/model-hooks.js'
import type { StepFrames } from '../../hook/step-frames.js'
import { modelPlanner } from '../model-planner.js'
import type { BuilderParts } from './builder-parts.js'

/**
 * Who decides what the agent does: its planner, else the model behind its driver, with the hooks around what is asked.
 *
 * @throws {TypeError} where there is neither, or where a structured answer is asked of a planner.
 */
export function decider(
  { planner, hooks, context: { responseFormat } }: BuilderParts,
  driver: ModelDriver | undefined,
  frames: StepFrames,
): Planner {
  const around = hasModelHooks(hooks) ? { hooks, frames } : undefined
  if (planner !== undefined) {
    if (responseFormat === undefined) return around === undefined ? planner : hookedPlanner(planner, around)
    throw new TypeError(
      'useContext: responseFormat is for models, and usePlanner says who decides: leave one of both out',
    )
  }
  if (driver === undefined) {
    throw new TypeError(
      'nobody decides what the agent does: give base(driver), or add useModel(driver) or usePlanner(planner)',
    )
  }
  const asked = around === undefined ? driver : hookedDriver(driver, around)
  return modelPlanner(asked, responseFormat === undefined ? {} : { answer: responseFormat })
}
