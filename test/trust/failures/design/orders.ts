import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const order = z.object({ id: z.string(), status: z.enum(['open', 'shipped', 'cancelled']) }).meta({ id: 'Order' })

const orderShipped = {
  schema: z.object({ orderId: z.string(), carrier: z.string().optional() }),
  hint: 'Order {{orderId}} has left the warehouse; offer a return.',
  description: 'The order has already left the warehouse.',
} as const

export const orders = defineToolset('orders', {
  description: 'Look up and change customer orders.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order.',
      payload: z.object({ orderId: z.string() }),
      result: order,
      readOnly: true,
    }),
    cancelOrder: defineTool({
      description: 'Cancel an order that has not been shipped.',
      payload: z.object({ orderId: z.string() }),
      result: order,
      failures: {
        order_shipped: orderShipped,
        order_locked: { hint: 'The order is being changed by somebody else.', action: 'finish' },
      },
    }),
    changeOrder: defineTool({
      description: 'Change the address of an order.',
      payload: z.object({ orderId: z.string(), address: z.string() }),
      result: order,
      failures: {
        order_shipped: orderShipped,
        address_unknown: {
          schema: z.object({ address: z.string(), similar: z.array(order) }),
          hint: 'There is no address {{address}}.',
          action: 'correct_call',
        },
      },
    }),
  },
})

export const refunds = defineToolset('refunds', {
  description: 'Pay money back.',
  tools: {
    refundOrder: defineTool({
      description: 'Cancel an order and pay it back.',
      payload: z.object({ orderId: z.string() }),
      result: z.object({ paid: z.number() }),
      failures: { order_shipped: orderShipped },
    }),
  },
})
