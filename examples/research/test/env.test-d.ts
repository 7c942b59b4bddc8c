import { type HasApproval, Runtime } from '@toolgen/runtime'
import { scriptedModel } from '@toolgen/runtime/testing'
import { newResearchAgent, registerResearch } from '../gen/agents/research/index.js'
import { registerSupport } from '../gen/agents/support/index.js'
import { openAgents } from '../src/agents.js'
import { ArchiveClient } from '../src/archive-client.js'
import { OrdersClient } from '../src/orders-client.js'

declare const approval: HasApproval['approval']
const [orders, archive, driver] = [new OrdersClient(), new ArchiveClient(), scriptedModel([])]

const support = openAgents(driver, { orders, archive })
void support.run('?', { env: { approval } })
// @ts-expect-error a tool of the nested agent needs an approval
void support.run('?')

const runtime = new Runtime()
const research = registerResearch(runtime, {
  agent: newResearchAgent(driver).build(),
  toolsets: { archive: { client: archive } },
})
void registerSupport(runtime, { toolsets: { orders: { client: orders }, investigation: research } })
// @ts-expect-error no agent serves the toolset `investigation`
void registerSupport(runtime, { toolsets: { orders: { client: orders } } })
