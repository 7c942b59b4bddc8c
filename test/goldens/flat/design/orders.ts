import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const orders = defineToolset('orders', {
  description: 'Look up and change customer orders.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order.',
      payload: z.object({
        orderId: z.string().min(1).describe('Order number as printed on the invoice'),
        verbose: z.boolean().default(false),
        sessionId: z.string(),
      }),
      result: z.object({ id: z.string(), status: z.enum(['open', 'shipped']), total: z.number().describe('In euros') }),
      serverOwned: { sessionId: 'sessionId' },
      examples: [{ orderId: 'A-1001' }],
      callHint: 'Looking up order {{orderId}}',
      resultHint: 'Order {{id}} is {{status}}',
      readOnly: true,
    }),
    cancelOrder: defineTool({
      description: 'Cancel an order that was not shipped yet.',
      payload: z.object({ orderId: z.string(), reason: z.enum(['mistake', 'too late']).optional() }),
      result: z.object({ cancelled: z.boolean() }),
      destructive: true,
    }),
    leaveNote: defineTool({
      description: 'Leave a note to the warehouse.',
      payload: z.object({ text: z.string().refine((text) => !text.includes('!'), 'Do not shout.') }),
      result: z.object({ id: z.string() }),
    }),
  },
})
