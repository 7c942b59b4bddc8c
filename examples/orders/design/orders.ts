import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const orderId = z
  .string()
  .regex(/^A-\d+$/)
  .describe('Order number as printed on the invoice, e.g. A-1001')
const status = z.enum(['open', 'shipped', 'cancelled'])
const priority = z.enum(['standard', 'express'])

const order = z
  .object({
    id: z.string(),
    status,
    createdAt: z.iso.datetime(),
    lines: z.array(z.object({ sku: z.string(), quantity: z.int(), unitPrice: z.number() })),
    total: z.number().describe('In euros'),
  })
  .meta({ id: 'Order' })

export const orders = defineToolset('orders', {
  description: 'Look up and change customer orders.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order with its line items.',
      payload: z.object({ orderId, sessionId: z.string() }),
      result: order,
      serverOwned: { sessionId: 'sessionId' },
      examples: [{ orderId: 'A-1001' }],
      callHint: 'Looking up order {{orderId}}',
      resultHint: 'Order {{id}} is {{status}}',
      readOnly: true,
    }),
    searchOrders: defineTool({
      description: 'Find orders, newest first.',
      payload: z.object({
        customer_id: z.string().optional().describe('Only the orders of this customer, e.g. C-7'),
        status: status.optional(),
        created_since: z.iso.datetime().optional().describe('Only orders created at this moment or later'),
        limit: z.int().min(1).max(50).default(10),
      }),
      result: z.array(order),
      examples: [{ customer_id: 'C-7', status: 'open' }],
      callHint: 'Searching orders',
      readOnly: true,
    }),
    placeOrder: defineTool({
      description: 'Place a new order for a customer.',
      payload: z.object({
        customerId: z
          .string()
          .regex(/^C-\d+$/)
          .describe('Customer number, e.g. C-7'),
        lines: z
          .array(
            z.object({
              sku: z.string().min(1).describe('Article number'),
              quantity: z.int().min(1).max(99).describe('Number of pieces'),
            }),
          )
          .min(1),
        priority: priority.default('standard'),
      }),
      result: order,
      examples: [{ customerId: 'C-7', lines: [{ sku: 'LAMP-1', quantity: 2 }], priority: 'express' }],
      callHint: 'Placing an order for {{customerId}}',
      resultHint: 'Placed order {{id}}',
    }),
    cancelOrder: defineTool({
      description: 'Cancel an order that has not been shipped.',
      payload: z.object({
        orderId,
        reason: z.string().max(200).optional().describe('Why, in the words of the customer'),
      }),
      result: order,
      failures: {
        order_shipped: {
          schema: z.object({ orderId }),
          hint: 'Order {{orderId}} has left the warehouse; offer a return instead.',
        },
      },
      examples: [{ orderId: 'A-1001', reason: 'Ordered twice' }],
      callHint: 'Cancelling order {{orderId}}',
      destructive: true,
      idempotent: true,
    }),
    stockLevel: defineTool({
      description: 'Count the pieces of an article in the warehouse.',
      payload: z.object({ sku: z.string().min(1).describe('Article number, e.g. LAMP-1') }),
      result: z.object({ sku: z.string(), inStock: z.int().min(0), checkedAt: z.iso.datetime() }),
      examples: [{ sku: 'LAMP-1' }],
      callHint: 'Counting {{sku}}',
      resultHint: '{{inStock}} in stock',
      readOnly: true,
    }),
  },
})
