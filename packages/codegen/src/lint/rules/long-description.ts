import { aboutTool, type Rule } from '../scene/rule.js'

/** In characters: what OpenAI once took at most for a function, and more than any tool of one task needs. */
const longest = 1_024

/** Descriptions of tools that cost every request dear. */
export const longDescription: Rule = {
  id: 'long-description',
  code: 'TG8303',
  next: 'Keep what tells the tool from others; move what is about one field to that field, and the rest to the instructions.',
  examples: {
    bad: `getOrder: defineTool({
  description: \`One order with its line items. \${'It is not for invoices, which are documents of their own. '.repeat(20)}\`,
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
    good: `getOrder: defineTool({
  description: 'One order with its line items. Not for invoices.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
  },
  check: ({ tools }) =>
    tools
      .filter(({ tool }) => tool.description.length > longest)
      .map((scene) => ({
        about: aboutTool(scene, 'description'),
        message: `The description of \`${scene.tool.id}\` has ${scene.tool.description.length} characters; every request carries them.`,
      })),
}
