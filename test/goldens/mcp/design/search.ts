import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

/** Declared by hand: an MCP server serves it, and the design says more of it than the server does. */
export const search = defineToolset('search', {
  description: 'Find notes.',
  tools: {
    find: defineTool({
      description: 'Find notes about a topic.',
      payload: z.object({ topic: z.string(), tenant: z.string() }),
      result: z.object({ notes: z.array(z.string()) }),
      serverOwned: { tenant: 'labels.tenant' },
    }),
    index: defineTool({
      description: 'Read all notes again, which takes its time.',
      payload: z.object({ from: z.string().refine((from) => from !== 'future') }),
      result: z.string(),
      streaming: { updates: z.object({ progress: z.number(), total: z.number().optional() }) },
    }),
    forget: defineTool({
      description: 'Remove a note for good.',
      payload: z.object({ note: z.string() }),
      result: z.null(),
      confirmation: { prompt: 'Remove {{note}}?' },
      destructive: true,
    }),
  },
})
