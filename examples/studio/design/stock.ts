import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const sku = z.string().min(1).describe('Article number, e.g. LAMP-1')

export const stock = defineToolset('stock', {
  description: 'Look up and order articles of the warehouse.',
  tools: {
    stockLevel: defineTool({
      description: 'Count the pieces of an article.',
      payload: z.object({ sku }),
      result: z.object({ sku: z.string(), pieces: z.number().int() }),
      examples: [{ sku: 'LAMP-1' }],
      callHint: 'Counting {{sku}}',
      readOnly: true,
    }),
    reorder: defineTool({
      description: 'Order more pieces of an article from its maker.',
      payload: z.object({ sku, pieces: z.number().int().min(1).max(500).describe('Number of pieces') }),
      result: z.object({ sku: z.string(), arrivesOn: z.iso.date() }),
      examples: [{ sku: 'LAMP-1', pieces: 20 }],
      callHint: 'Ordering {{pieces}} × {{sku}}',
      confirmation: { prompt: 'Order {{pieces}} pieces of {{sku}}?' },
    }),
  },
})

export const supply = defineToolset('supply', {
  description: 'Have the warehouse check an article.',
  tools: {
    checkSupply: defineTool({
      description: 'Check whether an article is available, and order more if it is not.',
      payload: z.object({ sku }),
      result: z.string(),
      examples: [{ sku: 'LAMP-1' }],
      callHint: 'Asking the warehouse about {{sku}}',
    }),
  },
})
