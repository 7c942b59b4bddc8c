import { Runtime } from '@toolgen/runtime'
import { answer, callTools, type Planner } from '@toolgen/runtime/agents'
import { type DurableAgents, durableAgents } from '@toolgen/runtime/durable'
import { registerBookkeeper } from '../gen/agents/bookkeeper/index.js'
import {
  type ListInvoicesResult,
  newCloseYearCall,
  newListInvoicesCall,
  newPayInvoiceCall,
  newSendReceiptCall,
} from '../gen/toolsets/invoices/index.js'
import type { InvoicesClient } from './invoices-client.js'

/** Pays all invoices at once, sends the receipts, and closes the year. A model can replace this planner: `agent: standard(...).build()`. */
const planner: Planner = ({ turn, outcomes }) => {
  const [listed] = outcomes
  const ids =
    listed?.status === 'completed' ? (listed.result.data as ListInvoicesResult).invoices.map(({ id }) => id) : []
  if (turn === 1) return callTools(newListInvoicesCall({ supplier: 'Lamps Inc.' }))
  if (turn === 2) return callTools(...ids.map((invoiceId) => newPayInvoiceCall({ invoiceId })))
  if (turn === 3) return callTools(...ids.map((invoiceId) => newSendReceiptCall({ invoiceId })))
  if (turn === 4) return callTools(newCloseYearCall({ year: 2026 }))
  const failed = outcomes.filter(({ status }) => status === 'failed').length
  return answer(`Made ${outcomes.length} calls, ${failed} of them failed.`)
}

/** Returns the agents that each worker serves. */
export function newAgents(client: InvoicesClient): DurableAgents {
  const bookkeeper = registerBookkeeper(new Runtime(), { planner, toolsets: { invoices: { client } } })
  // Restate stores pending approvals, so no worker has to wait.
  const env = { approval: { approve: async () => 'suspend' as const } }
  return durableAgents({ agents: { bookkeeper }, env: () => env })
}
