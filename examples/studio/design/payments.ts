import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const payments = defineToolset('payments', {
  description: 'Look up payments and pay them back.',
  tools: {
    findPayment: defineTool({
      description: 'Find the payment of an order.',
      payload: z.object({ orderId: z.string().describe('Order number, e.g. A-1002') }),
      result: z.object({ id: z.string(), amount: z.number().describe('In euros') }),
      examples: [{ orderId: 'A-1002' }],
      readOnly: true,
    }),
    refund: defineTool({
      description: 'Pay a payment back, in full or in part.',
      payload: z.object({
        paymentId: z.string().describe('Id of the payment, as findPayment returns it'),
        amount: z.number().positive().describe('Amount in euros'),
      }),
      result: z.object({ refunded: z.number().describe('In euros') }),
      examples: [{ paymentId: 'P-2', amount: 40 }],
      callHint: 'Paying back {{amount}} €',
      confirmation: { prompt: 'Pay back {{amount}} € of payment {{paymentId}}?' },
      destructive: true,
    }),
  },
})

export const returns = defineToolset('returns', {
  description: 'Let the returns desk settle a complaint.',
  tools: {
    settle: defineTool({
      description: 'Settle a complaint about an order: the desk decides about a refund.',
      payload: z.object({
        orderId: z.string().describe('Order number, e.g. A-1002'),
        complaint: z.string().min(3).describe('Complaint in the words of the customer'),
      }),
      result: z.string(),
      examples: [{ orderId: 'A-1002', complaint: 'The lamp arrived broken.' }],
    }),
  },
})
