import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const investigation = defineToolset('investigation', {
  description: 'Find things out.',
  tools: {
    investigate: defineTool({
      description: 'Find out all about a topic.',
      payload: z.object({ topic: z.string().describe('What to find out about'), depth: z.int().min(1).default(1) }),
      result: z.object({ findings: z.array(z.string()), certain: z.boolean() }),
      examples: [{ topic: 'A-1001' }],
      callHint: 'Looking into {{topic}}',
    }),
    summarize: defineTool({
      description: 'Tell in a few words what is known.',
      payload: z.object({ topic: z.string() }),
      result: z.string(),
    }),
    verify: defineTool({
      description: 'Find out whether a claim is true.',
      payload: z.object({ claim: z.string().refine((claim) => claim.endsWith('.'), 'A claim ends with a full stop.') }),
      result: z.object({ holds: z.boolean() }),
    }),
  },
})
