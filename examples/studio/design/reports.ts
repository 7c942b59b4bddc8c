import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const reports = defineToolset('reports', {
  description: 'Build reports from the orders of the shop.',
  tools: {
    monthlyRevenue: defineTool({
      description: 'Build the report of a year, month by month.',
      payload: z.object({ year: z.number().int().min(2020).max(2026).describe('Calendar year, e.g. 2025') }),
      streaming: {
        updates: z.object({ month: z.number().int(), revenue: z.number().describe('In euros') }),
      },
      result: z.object({ year: z.number().int(), total: z.number().describe('Revenue of the year, in euros') }),
      examples: [{ year: 2025 }],
      callHint: 'Building the report of {{year}}',
      resultHint: 'Revenue of {{year}}: {{total}} €',
      readOnly: true,
    }),
  },
})
