import type { Planner } from '../contract/planner.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'

/** The planner of an agent that was registered without one: each run fails and says so. */
export const noPlanner: Planner = () => {
  throw new ToolFailure(
    'This agent has no planner: give one where it is registered, { planner, toolsets } or { agent, toolsets }.',
    {
      reason: 'internal',
      action: 'finish',
    },
  )
}
