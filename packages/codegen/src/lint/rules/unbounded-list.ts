import type { Shape } from '../../schema/shape/shape.js'
import { isBounded, listsOf } from '../scene/lists.js'
import { speaksOfPages } from '../scene/pages.js'
import { aboutTool, type Rule } from '../scene/rule.js'
import type { ToolScene } from '../scene/scene.js'

/** Answers that can be as long as a table. */
export const unboundedList: Rule = {
  id: 'unbounded-list',
  code: 'TG8309',
  next: 'Give the list a `maxItems` (`.max(50)`), or let the model ask for pages: a `limit` with a `cursor`.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })) }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({
    email: z.string().describe('E-mail address of the customer'),
    limit: z.number().int().max(50).default(10).describe('How many at most'),
  }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })) }),
})`,
  },
  check: ({ tools }) =>
    tools
      .filter((scene) => !takesPages(scene) && listsOf(scene).some((list) => !isBounded(list) && isLarge(list.items)))
      .map((scene) => ({
        about: aboutTool(scene, 'result'),
        message: `\`${scene.tool.id}\` answers a list of any length, and the model cannot ask for less.`,
      })),
}

function takesPages({ fields }: ToolScene): boolean {
  return fields.some(({ name }) => speaksOfPages(name))
}

/** A list of numbers or words is seldom what fills a context. */
function isLarge({ kind }: Shape): boolean {
  return !['string', 'number', 'boolean', 'literals', 'null'].includes(kind)
}
