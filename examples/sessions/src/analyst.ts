import { type BoundAgent, Runtime } from '@toolgen/runtime'
import { registerAnalyst } from '../gen/agents/analyst/index.js'
import { planner } from './planner.js'
import { ReportsClient } from './reports-client.js'

/** The agent. All users of the application share it: what is one user's alone is in that user's session. */
export function openAnalyst(): BoundAgent {
  return registerAnalyst(new Runtime(), { planner, toolsets: { reports: { client: new ReportsClient() } } })
}
