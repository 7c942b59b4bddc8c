import { defineAgent, fromService } from '@toolgen/dsl'
import { ordersClient } from './clients.js'
import { orders } from './orders.js'

export const support = defineAgent('support', {
  description: 'Answers customers about their orders.',
  uses: [
    fromService(orders, ordersClient, {
      rename: { leaveNote: 'note_to_warehouse' },
      tools: { getOrder: { method: 'fetchOrder' }, leaveNote: { method: 'note' } },
    }),
  ],
})
