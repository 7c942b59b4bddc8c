import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const archive = defineToolset('archive', {
  description: 'What was written down.',
  tools: {
    findNotes: defineTool({
      description: 'Find notes about a topic.',
      payload: z.object({ topic: z.string(), tenant: z.string() }),
      serverOwned: { tenant: 'labels.tenant' },
      result: z.object({ notes: z.array(z.string()) }),
    }),
    watchNotes: defineTool({
      description: 'Watch what is written down about a topic.',
      payload: z.object({ topic: z.string() }),
      result: z.array(z.object({ note: z.string(), at: z.iso.datetime() })),
      streaming: { updates: z.object({ note: z.string() }) },
    }),
  },
})
