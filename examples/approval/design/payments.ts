import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const customerId = z
  .string()
  .regex(/^C-\d+$/)
  .describe('Customer number, e.g. C-7')

export const payments = defineToolset('payments', {
  description: 'Look up payments, refund them, and close accounts.',
  tools: {
    findPayments: defineTool({
      description: 'List the payments of a customer, newest first.',
      payload: z.object({ customerId }),
      result: z.array(z.object({ id: z.string(), amount: z.number().describe('In euros'), refunded: z.boolean() })),
      examples: [{ customerId: 'C-7' }],
      callHint: 'Looking up the payments of {{customerId}}',
      readOnly: true,
    }),
    refundPayment: defineTool({
      description: 'Pay a payment back in full.',
      payload: z.object({
        paymentId: z.string().describe('Payment number, e.g. P-1'),
        amount: z.number().positive().describe('The amount of the payment, in euros'),
      }),
      result: z.object({ paymentId: z.string(), refunded: z.boolean() }),
      examples: [{ paymentId: 'P-1', amount: 40 }],
      callHint: 'Refunding {{amount}} € of {{paymentId}}',
      confirmation: {
        prompt: 'Refund {{amount}} € of payment {{paymentId}}?',
        when: z.object({ amount: z.number().gt(25) }),
      },
      destructive: true,
    }),
    closeAccount: defineTool({
      description: 'Close the account of a customer for good.',
      payload: z.object({ customerId }),
      result: z.object({ closed: z.boolean(), note: z.string() }),
      examples: [{ customerId: 'C-7' }],
      callHint: 'Closing the account of {{customerId}}',
      confirmation: {
        prompt: 'Close the account of {{customerId}} for good?',
        deniedResult: { closed: false, note: 'A person decided to keep the account open.' },
      },
      destructive: true,
    }),
  },
})
