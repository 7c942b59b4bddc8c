import { type BoundAgent, type HasApproval, Runtime, recommended } from '@toolgen/runtime'
import { registerDesk } from '../gen/agents/desk/index.js'
import { payments } from '../gen/toolsets/payments/index.js'
import type { PaymentsClient } from './payments-client.js'
import { planner } from './planner.js'
import { type HasBudget, spendingLimit } from './spending-limit.js'

/**
 * Registers the desk agent. Its type declares what a run needs: an approver, because the design asks to confirm two tools, and a budget, because
 * the layer of the refund tool needs it.
 */
export function openDesk(client: PaymentsClient): BoundAgent<HasApproval & HasBudget> {
  return registerDesk(new Runtime(), {
    planner,
    toolsets: {
      payments: {
        client,
        layers: (tools) => tools.tool(payments.refundPayment, (refund) => refund.layer(spendingLimit)),
      },
    },
  }).layer(recommended())
}
