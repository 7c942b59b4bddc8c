import { defineAgent, fromAgent, fromExecutor, fromService } from '@toolgen/dsl'
import { ordersClient } from './clients.js'
import { orders, refunds } from './orders.js'

export const support = defineAgent('support', {
  description: 'Answers customers about their orders.',
  uses: [fromService(orders, ordersClient)],
})

export const cashier = defineAgent('cashier', {
  description: 'Pays orders back.',
  uses: [fromExecutor(orders)],
  exports: [refunds],
})

export const front = defineAgent('front', {
  description: 'Talks to customers.',
  uses: [fromAgent(refunds)],
})
