import type { BoundAgent, MetaField, ToolCall, ToolOutcome } from '@toolgen/runtime'
import {
  newCancelOrderCall,
  newGetOrderCall,
  newSearchOrdersCall,
  newStockLevelCall,
} from '../gen/toolsets/orders/index.js'

/** What one step of the plan asked for and what came of it. */
export interface Step {
  readonly title: string
  readonly call: ToolCall<unknown, MetaField>
  readonly outcome: ToolOutcome
}

/**
 * A deterministic planner: no model, only code that reads each outcome and decides the next call. Most calls come from
 * the generated builders; two are written as a model would send them, one with three faults and one to a tool that does
 * not exist.
 */
export async function* plan(support: BoundAgent, customer: string, sessionId: string): AsyncGenerator<Step> {
  const search = newSearchOrdersCall({ customer_id: customer, created_since: '2026-10-01T00:00:00Z' })
  const found = await support.execute(search)
  yield { title: 'Find the orders of the customer', call: search, outcome: found }
  if (found.status !== 'completed') return

  const open = found.result.data.find((order) => order.status === 'open')
  const shipped = found.result.data.find((order) => order.status === 'shipped')
  if (open === undefined || shipped === undefined) return

  // The session's id comes from here, never from a model: leaving it out does not compile.
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
