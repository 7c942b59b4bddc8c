import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const year = z.number().int().describe('A calendar year, e.g. 2025')

export const reports = defineToolset('reports', {
  description: 'Build reports from the books of the shop.',
  tools: {
    listYears: defineTool({
      description: 'List the years that there are books of.',
      payload: z.object({}),
      result: z.array(year),
      examples: [{}],
      readOnly: true,
    }),
    buildReport: defineTool({
      description: 'Build the report of a year. It takes a while.',
      payload: z.object({ year }),
      streaming: {
        updates: z.object({ year, quarter: z.string(), revenue: z.number().describe('Of the quarter, in euros') }),
      },
      result: z.object({ year, total: z.number().describe('The revenue of the year, in euros') }),
      examples: [{ year: 2025 }],
      callHint: 'Building the report of {{year}}',
    }),
  },
})
