import { defineAgent, exportToolset, fromAgent, fromService, type ServiceClient, serviceClient } from '@toolgen/dsl'
import type { OrdersClient } from '../src/orders-client.js'
import type { StockClient } from '../src/stock-client.js'
import { orders } from './orders.js'
import { stock, supply } from './stock.js'

export const ordersClient: ServiceClient<OrdersClient> = serviceClient<OrdersClient>()
export const stockClient: ServiceClient<StockClient> = serviceClient<StockClient>()

export const warehouse = defineAgent('warehouse', {
  description: 'Knows the articles of the warehouse and orders more.',
  instructions: 'Look up the stock before you order. Order 20 pieces if fewer than 5 are left.',
  uses: [fromService(stock, stockClient)],
  exports: [
    exportToolset(supply, { tools: { checkSupply: { template: 'Check the supply of {{sku}}.', prose: true } } }),
  ],
})

export const support = defineAgent('support', {
  description: 'Answers customers about their orders.',
  instructions: 'You answer customers of a lamp shop. Look up an order before you say anything about it.',
  uses: [fromService(orders, ordersClient, { tools: { exportOrders: { collect: 'last' } } }), fromAgent(supply)],
})
