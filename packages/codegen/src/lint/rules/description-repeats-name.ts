import { aboutTool, type Rule } from '../scene/rule.js'
import { saysOnly } from '../scene/words.js'

/** Descriptions of tools from which a model learns nothing. */
export const descriptionRepeatsName: Rule = {
  id: 'description-repeats-name',
  code: 'TG8302',
  next: 'Say what the tool does, when it is the right one, and what it answers.',
  examples: {
    bad: `getOrder: defineTool({
  description: 'Gets the order.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
    good: `getOrder: defineTool({
  description: 'One order with its line items and total; take it when the customer names an order number.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
  },
  check: ({ tools }) =>
    tools
      .filter(({ tool, toolset }) => saysOnly(tool.description, [tool.name, toolset.name]))
      .map((scene) => ({
        about: aboutTool(scene, 'description'),
        message: `The description of \`${scene.tool.id}\` says no more than its name.`,
      })),
}
