import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

const sku = z.string().min(1).describe('Article number, e.g. LAMP-1')

export const archive = defineToolset('archive', {
  description: 'What was written down about the articles of the shop, and the way to their makers.',
  tools: {
    searchNotes: defineTool({
      description: 'Find notes about an article by words.',
      payload: z.object({ sku, words: z.array(z.string()).min(1).describe('Any of these is enough') }),
      result: z.array(z.object({ id: z.string(), title: z.string() })),
      examples: [{ sku: 'LAMP-1', words: ['flicker', 'dimmer'] }],
      callHint: 'Searching the archive for {{sku}}',
      readOnly: true,
    }),
    fetchNote: defineTool({
      description: 'Read one note of the archive.',
      payload: z.object({ noteId: z.string().describe('As searchNotes gives it, e.g. N-12') }),
      result: z.object({ id: z.string(), title: z.string(), text: z.string() }),
      examples: [{ noteId: 'N-12' }],
      callHint: 'Reading note {{noteId}}',
      resultHint: '{{title}}',
      readOnly: true,
    }),
    askMaker: defineTool({
      description: 'Ask the maker of an article, who takes 15 € for each answer. Read the notes first.',
      payload: z.object({ sku, question: z.string().min(1) }),
      result: z.object({ id: z.string(), reply: z.string() }),
      examples: [{ sku: 'LAMP-1', question: 'Which dimmers does it work with?' }],
      callHint: 'Asking the maker of {{sku}}',
      confirmation: { prompt: 'Pay the maker of {{sku}} 15 € for an answer? The question: {{question}}' },
    }),
  },
})
