import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const payments = defineToolset('payments', {
  description: 'Look up the payments of the company.',
  tools: {
    findPayments: defineTool({
      description: 'List the payments for an invoice.',
      payload: z.object({ invoice: z.string().describe('Number of the invoice, e.g. INV-301') }),
      result: z.array(z.object({ amount: z.number().describe('In euros'), paidOn: z.iso.date() })),
      examples: [{ invoice: 'INV-301' }],
      readOnly: true,
    }),
  },
})
