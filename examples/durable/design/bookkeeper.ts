import { defineAgent, defineTool, defineToolset, fromService } from '@toolgen/dsl'
import { z } from 'zod'
import { invoicesClient } from './clients.js'

const invoiceId = z.string().describe('Number of the invoice, e.g. I-1')

export const invoices = defineToolset('invoices', {
  description: 'Invoices of suppliers.',
  tools: {
    listInvoices: defineTool({
      description: 'List the open invoices of a supplier.',
      payload: z.object({ supplier: z.string().describe('Name of the supplier') }),
      result: z.object({ invoices: z.array(z.object({ id: z.string(), amount: z.number() })).max(20) }),
      readOnly: true,
    }),
    payInvoice: defineTool({
      description: 'Pay an invoice.',
      payload: z.object({ invoiceId, idempotencyKey: z.string() }),
      result: z.object({ id: z.string(), paid: z.boolean() }),
      // The bank pays only once for each key, so the tool may run again after a crash.
      serverOwned: { idempotencyKey: 'idempotencyKey' },
      callHint: 'Paying {{invoiceId}}',
    }),
    sendReceipt: defineTool({
      description: 'Send the receipt of a paid invoice to the supplier.',
      payload: z.object({ invoiceId }),
      result: z.object({ id: z.string(), sent: z.boolean() }),
      callHint: 'Sending the receipt of {{invoiceId}}',
    }),
    closeYear: defineTool({
      description: 'Close the accounts of a year.',
      payload: z.object({ year: z.number().int().describe('Year, e.g. 2026') }),
      result: z.object({ year: z.number(), closed: z.boolean() }),
      confirmation: { prompt: 'Close the accounts of {{year}}?' },
      destructive: true,
    }),
  },
})

export const bookkeeper = defineAgent('bookkeeper', {
  description: 'Pays invoices.',
  uses: [fromService(invoices, invoicesClient)],
})
