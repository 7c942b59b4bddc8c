import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const investigation = defineToolset('investigation', {
  description: 'Have somebody find out what is wrong with an article.',
  tools: {
    investigate: defineTool({
      description: 'Find out why an article does not do what it should, and what helps.',
      payload: z.object({
        sku: z.string().min(1).describe('Article number, e.g. LAMP-1'),
        problem: z.string().min(1).describe('What the customer sees, in one sentence'),
      }),
      result: z.object({
        cause: z.string(),
        remedy: z.string(),
        part: z.string().nullable().describe('The part that has to be replaced, e.g. DRIVER-2; null where none has'),
        sources: z.array(z.string()).describe('The notes and answers that say so, by their ids'),
      }),
      examples: [{ sku: 'LAMP-1', problem: 'It flickers when it is dimmed.' }],
      callHint: 'Looking into {{sku}}',
      resultHint: '{{cause}}',
    }),
  },
})
