import { type BoundAgent, Runtime, ToolFailure } from '@toolgen/runtime'
import { vendorErrors } from '@toolgen/runtime/errors'
import { registerSupport } from '../gen/agents/support/index.js'
import { orderShipped } from '../gen/toolsets/orders/index.js'
import { openDatabase } from './database.js'
import { OrderError } from './order-error.js'
import { OrdersClient } from './orders-client.js'
import { WarehouseClient } from './warehouse-client.js'

/** Opens the support agent with the services of the shop. The warehouse allows one request. */
export async function openSupport(now?: () => Date): Promise<BoundAgent> {
  const database = await openDatabase()
  const client = new OrdersClient(database, new WarehouseClient(database, 1), now)
  // The shop writes these messages for customers, so a model may read them; all other errors stay hidden.
  const runtime = new Runtime({
    errorRules: vendorErrors,
    classify: (error) => {
      if (!(error instanceof OrderError)) return undefined
      // The design declares this failure, so code reads the order number from `outcome.error.data`.
      if (error.code === 'already_shipped') return orderShipped({ orderId: error.id }, { cause: error })
      return new ToolFailure(error.message, { action: 'replan', cause: error })
    },
  })
  return registerSupport(runtime, { toolsets: { orders: { client } } })
}
