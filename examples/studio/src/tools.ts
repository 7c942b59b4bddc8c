import { Runtime, type ToolExecutor } from '@toolgen/runtime'
import { newDeskAgent, registerDesk } from '../gen/agents/desk/index.js'
import { newSupportAgent, registerSupport } from '../gen/agents/support/index.js'
import type { MonthlyRevenuePayload } from '../gen/toolsets/reports/index.js'
import { deskModel, shopModel } from './model.js'
import { OrdersClient } from './orders-client.js'
import { PaymentsClient } from './payments-client.js'

/** Builds reports month by month, so that the studio shows the updates. */
const reports: ToolExecutor = {
  async *execute({ payload }) {
    const { year } = (await payload()) as MonthlyRevenuePayload
    let total = 0
    for (let month = 1; month <= 12; month += 1) {
      const revenue = 8_000 + ((month * 7_919 + year) % 5_000)
      total += revenue
      yield { month, revenue }
      await new Promise((resolve) => setTimeout(resolve, 120))
    }
    return { year, total }
  },
}

const runtime = new Runtime()
const desk = registerDesk(runtime, {
  agent: newDeskAgent(deskModel()).build(),
  toolsets: { payments: { client: new PaymentsClient() } },
})
/** The agent that talks to customers. */
export const support = registerSupport(runtime, {
  agent: newSupportAgent(shopModel()).build(),
  toolsets: { orders: { client: new OrdersClient() }, returns: desk, reports: { executor: reports } },
})

export default {
  toolsets: [support, desk],
  context: () => ({ sessionId: 'studio', labels: { customer: 'C-7' } }),
}
