import type { AgentDescriptor } from '../../contract/agent.js'
import type { Planner } from '../../contract/planner.js'
import { noPlanner } from '../no-planner.js'
import { Agent } from './agent.js'
import { usePlanner } from './features.js'
import { base } from './standard.js'

/** Who decides for an agent that is registered. `any`: what it needs of the env is in the type of who is given it. */
export interface GivenAgent {
  readonly planner?: Planner | undefined
  readonly agent?: Agent<any> | undefined
}

/**
 * The agent that is registered: the one given, else one of the planner, which fails its runs where there is none either.
 *
 * @throws {TypeError} for both, for what no builder made, and for one that was made for another design.
 */
export function givenAgent({ name }: AgentDescriptor, { planner, agent }: GivenAgent): Agent<any> {
  if (agent === undefined || agent === null)
    return base()
      .with(usePlanner(planner ?? noPlanner))
      .build()
  if (!(agent instanceof Agent)) {
    throw new TypeError(`agent '${name}': give \`agent\` as a builder made it, e.g. base(driver).build()`)
  }
  if (planner !== undefined) {
    throw new TypeError(
      `agent '${name}': both \`agent\` and \`planner\` are given: leave one out, or add usePlanner(planner)`,
    )
  }
  const { designedAs } = agent.parts
  if (designedAs === undefined || designedAs === name) return agent
  throw new TypeError(`agent '${name}': this \`agent\` was made for the design of '${designedAs}'`)
}
