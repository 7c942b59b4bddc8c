import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const orderId = z
  .string()
  .regex(/^A-\d+$/)
  .describe('Order number as printed on the invoice, e.g. A-1001')

export const orders = defineToolset('orders', {
  description: 'Look up orders and put right what went wrong with them.',
  tools: {
    getOrder: defineTool({
      description: 'Fetch one order with the articles in it.',
      payload: z.object({ orderId }),
      result: z.object({
        id: z.string(),
        deliveredOn: z.iso.date(),
        articles: z.array(z.object({ sku: z.string(), name: z.string() })),
      }),
      examples: [{ orderId: 'A-1001' }],
      callHint: 'Looking up order {{orderId}}',
      readOnly: true,
    }),
    sendPart: defineTool({
      description: 'Send a customer a part for an article of an order, free of charge.',
      payload: z.object({
        orderId,
        part: z.string().min(1).describe('As the archive names it, e.g. DRIVER-2'),
      }),
      result: z.object({ shipmentId: z.string(), arrivesOn: z.iso.date() }),
      examples: [{ orderId: 'A-1001', part: 'DRIVER-2' }],
      callHint: 'Sending {{part}} for order {{orderId}}',
      resultHint: 'Shipment {{shipmentId}} arrives on {{arrivesOn}}',
    }),
  },
})
