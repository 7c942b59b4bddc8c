import { type BoundAgent, type HasApproval, Runtime } from '@toolgen/runtime'
import { modelPlanner } from '@toolgen/runtime/agents'
import { registerSupport } from '../gen/agents/support/index.js'
import { registerWarehouse } from '../gen/agents/warehouse/index.js'
import { shopModel } from './model.js'
import { OrdersClient } from './orders-client.js'
import { StockClient } from './stock-client.js'

/** Opens the agents of the shop: support, and the warehouse, which support asks. */
export function openShop(): readonly [support: BoundAgent<HasApproval>, warehouse: BoundAgent<HasApproval>] {
  const runtime = new Runtime()
  const planner = modelPlanner(shopModel())
  const warehouse = registerWarehouse(runtime, { planner, toolsets: { stock: { client: new StockClient() } } })
  const client = new OrdersClient()
  const support = registerSupport(runtime, { planner, toolsets: { orders: { client }, supply: warehouse } })
  return [support, warehouse]
}
