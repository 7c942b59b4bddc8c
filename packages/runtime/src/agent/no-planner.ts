import type { Planner } from '../contract/planner.js'

/** The planner of an agent that was registered without one: each run fails and says so. */
export const noPlanner: Planner = () => {
  throw new TypeError('this agent has no planner: give one where it is registered, { planner, toolsets }')
}
