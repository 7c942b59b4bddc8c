import { defineAgent, exportToolset, fromAgent, fromExecutor, fromService } from '@toolgen/dsl'
import { ordersClient, paymentsClient } from './clients.js'
import { orders } from './orders.js'
import { payments, returns } from './payments.js'
import { reports } from './reports.js'

export const support = defineAgent('support', {
  description: 'Answers customers about their orders.',
  instructions: 'Look up the order before you answer. Leave complaints to the returns desk. Be brief.',
  uses: [
    fromService(orders, ordersClient, { tools: { getOrder: { method: 'fetchOrder' } } }),
    fromAgent(returns),
    fromExecutor(reports),
  ],
})

export const desk = defineAgent('desk', {
  description: 'Settles complaints about orders.',
  instructions: 'Find the payment of the order. Offer half of the price for damaged goods.',
  uses: [fromService(payments, paymentsClient)],
  exports: [
    exportToolset(returns, { tools: { settle: { template: '{{complaint}} (order {{orderId}})', prose: true } } }),
  ],
})
