import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const orderId = z
  .string()
  .regex(/^A-\d{4}$/)
  .describe('Order number, e.g. A-1001')

export const orders = defineToolset('orders', {
  description: 'Find, change and cancel the orders of the shop.',
  tools: {
    findOrders: defineTool({
      description: 'List orders, newest first.',
      payload: z.object({
        status: z.enum(['open', 'shipped', 'cancelled']).optional().describe('Default: all'),
        limit: z.number().int().min(1).max(50).default(10),
      }),
      result: z.array(z.object({ id: z.string(), status: z.string(), total: z.number().describe('In euros') })),
      examples: [{ status: 'open' }],
      callHint: 'Listing orders',
      readOnly: true,
    }),
    getOrder: defineTool({
      description: 'Fetch one order with its articles and the address of the customer.',
      payload: z.object({ orderId }),
      result: z.object({
        id: z.string(),
        status: z.enum(['open', 'shipped', 'cancelled']),
        total: z.number().describe('In euros'),
        lines: z.array(z.object({ sku: z.string(), quantity: z.number().int() })),
        email: z.string().meta({ 'x-sensitive': ['model', 'events', 'telemetry', 'recording'] }),
      }),
      examples: [{ orderId: 'A-1001' }],
      failures: {
        unknown_order: {
          schema: z.object({ orderId: z.string() }),
          hint: 'There is no order {{orderId}}. Find the order with findOrders.',
        },
      },
      callHint: 'Looking up order {{orderId}}',
      readOnly: true,
    }),
    cancelOrder: defineTool({
      description: 'Cancel an order that has not been shipped, and refund a part of it or all.',
      payload: z.object({
        orderId,
        refund: z
          .discriminatedUnion('kind', [
            z.object({ kind: z.literal('all') }),
            z.object({ kind: z.literal('part'), amount: z.number().positive().describe('In euros') }),
          ])
          .describe('Amount to pay back'),
        note: z.string().max(200).optional().describe('For the customer'),
      }),
      result: z.object({ id: z.string(), refunded: z.number().describe('In euros') }),
      examples: [
        { orderId: 'A-1001', refund: { kind: 'all' } },
        { orderId: 'A-1001', refund: { kind: 'part', amount: 20 }, note: 'Sorry for the delay.' },
      ],
      callHint: 'Cancelling order {{orderId}}',
      confirmation: { prompt: 'Cancel order {{orderId}}?' },
      destructive: true,
    }),
    exportOrders: defineTool({
      description: 'Write all orders of a year to a file. Reports its progress.',
      payload: z.object({ year: z.number().int().min(2024).max(2026).describe('Calendar year') }),
      streaming: { updates: z.object({ percent: z.number().int(), rows: z.number().int() }) },
      result: z.object({ file: z.string(), rows: z.number().int() }),
      examples: [{ year: 2025 }],
      callHint: 'Exporting {{year}}',
      readOnly: true,
    }),
  },
})
