import { type BoundAgent, Runtime } from '@toolgen/runtime'
import { registerAnalyst } from '../gen/agents/analyst/index.js'
import { planner } from './planner.js'
import { ReportsClient } from './reports-client.js'

/** Registers the agent. All users share it; the data of each user are in the user's session. */
export function openAnalyst(): BoundAgent {
  return registerAnalyst(new Runtime(), { planner, toolsets: { reports: { client: new ReportsClient() } } })
}
