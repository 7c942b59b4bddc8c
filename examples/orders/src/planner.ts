import type { BoundAgent, MetaField, ToolCall, ToolOutcome } from '@toolgen/runtime'
import {
  newCancelOrderCall,
  newGetOrderCall,
  newSearchOrdersCall,
  newStockLevelCall,
} from '../gen/toolsets/orders/index.js'

/** One step of the plan: the call and its outcome. */
export interface Step {
  readonly title: string
  readonly call: ToolCall<unknown, MetaField>
  readonly outcome: ToolOutcome
}

/**
 * A deterministic planner without a model. Its code reads each outcome and chooses the next call. The generated builders create most calls. Two
 * calls have the form of a model's calls: one has three errors, and one names an unknown tool.
 */
export async function* plan(support: BoundAgent, customer: string, sessionId: string): AsyncGenerator<Step> {
  const search = newSearchOrdersCall({ customer_id: customer, created_since: '2026-10-01T00:00:00Z' })
  const found = await support.execute(search)
  yield { title: 'Find the orders of the customer', call: search, outcome: found }
  if (found.status !== 'completed') return

  const open = found.result.data.find((order) => order.status === 'open')
  const shipped = found.result.data.find((order) => order.status === 'shipped')
  if (open === undefined || shipped === undefined) return

  // The application sets the session id, never a model. Without it, the call does not compile.
  const look = newGetOrderCall({ orderId: open.id })
  yield { title: 'Look at the open order', call: look, outcome: await support.execute(look, { sessionId }) }

  const faulty: ToolCall = {
    tool: 'orders_placeOrder',
    arguments: '{"customerId":"7","lines":[{"sku":"LAMP-1","quantity":0}],"priority":"urgent"}',
  }
  const refused = await support.execute(faulty)
  yield { title: 'Place an order, as a model might send it', call: faulty, outcome: refused }

  if (refused.status === 'failed' && 'example' in refused.hint) {
    const corrected: ToolCall = { ...faulty, arguments: JSON.stringify(refused.hint.example) }
    yield { title: 'Place it as the hint showed', call: corrected, outcome: await support.execute(corrected) }
  }

  const unknown: ToolCall = { tool: 'orders_fetchOrder', arguments: '{}' }
  yield { title: 'Call a tool that does not exist', call: unknown, outcome: await support.execute(unknown) }

  for (const sku of ['LAMP-1', 'DESK-2']) {
    const count = newStockLevelCall({ sku })
    yield { title: `Count ${sku} in the warehouse`, call: count, outcome: await support.execute(count) }
  }

  const cancel = newCancelOrderCall({ orderId: shipped.id, reason: 'Ordered twice' })
  yield { title: 'Cancel an order that has shipped', call: cancel, outcome: await support.execute(cancel) }
}
