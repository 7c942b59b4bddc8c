import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const orderId = z
  .string()
  .regex(/^A-\d{4}$/)
  .describe('Order number as printed on the invoice, e.g. A-1001')

const order = z.object({
  id: z.string(),
  status: z.enum(['open', 'shipped', 'cancelled']),
  placedAt: z.iso.datetime(),
  email: z.string().meta({ 'x-sensitive': ['events', 'telemetry', 'recording'] }),
  lines: z.array(z.object({ sku: z.string(), quantity: z.number().int(), price: z.number().describe('In euros') })),
  total: z.number().describe('In euros'),
})

export const orders = defineToolset('orders', {
  description: 'Look up orders of the shop, and cancel them.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order with its lines and its status.',
      payload: z.object({ orderId, customer: z.string() }),
      serverOwned: { customer: 'labels.customer' },
      result: order,
      examples: [{ orderId: 'A-1001' }, { orderId: 'A-1002' }],
      callHint: 'Looking up order {{orderId}}',
      resultHint: 'Order {{id}} is {{status}}',
      readOnly: true,
    }),
    searchOrders: defineTool({
      description: 'Find the orders that match all given conditions, newest first.',
      payload: z.object({
        status: z.enum(['open', 'shipped', 'cancelled']).optional().describe('Default: any status'),
        minTotal: z.number().min(0).optional().describe('Lowest total in euros'),
        placed: z
          .object({ from: z.iso.date(), to: z.iso.date() })
          .optional()
          .describe('First and last day on which the order was placed'),
        limit: z.number().int().min(1).max(50).default(10).describe('Maximum number of orders'),
      }),
      result: z.array(z.object({ id: z.string(), status: z.string(), total: z.number().describe('In euros') })),
      examples: [{ status: 'open', limit: 5 }, { placed: { from: '2026-11-01', to: '2026-11-30' } }],
      readOnly: true,
    }),
    cancelOrder: defineTool({
      description: 'Cancel an order that has not shipped.',
      payload: z.object({ orderId, reason: z.string().min(3).describe('Reason in the words of the customer') }),
      result: z.object({ cancelled: z.boolean() }),
      examples: [{ orderId: 'A-1001', reason: 'Ordered twice' }],
      callHint: 'Cancelling order {{orderId}}',
      confirmation: { prompt: 'Cancel order {{orderId}}?' },
      destructive: true,
    }),
  },
})
