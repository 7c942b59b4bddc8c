import { aboutTool, type Finding, type Rule } from '../scene/rule.js'
import type { SeenTool, Sight } from '../scene/scene.js'
import { singular, wordsOf } from '../scene/words.js'

/** Tools of one model whose names differ in what models mix up. */
export const overlappingNames: Rule = {
  id: 'overlapping-names',
  code: 'TG8306',
  next: 'Give one of them a name that says how it differs, e.g. with `wireName`.',
  examples: {
    bad: `getOrder: defineTool({
  description: 'One order with its line items.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
}),
get_order: defineTool({
  description: 'What the warehouse knows of a shipment.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ shelf: z.string() }),
  wireName: 'orders_get_order',
})`,
    good: `getOrder: defineTool({
  description: 'One order with its line items.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
}),
trackShipment: defineTool({
  description: 'What the warehouse knows of a shipment.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ shelf: z.string() }),
})`,
  },
  check: ({ sights }) => sights.flatMap(overlapsIn),
}

function overlapsIn({ tools }: Sight): readonly Finding[] {
  const byWords = new Map<string, SeenTool>()
  return tools.flatMap((tool): readonly Finding[] => {
    const key = keyOf(tool.wireName)
    const other = byWords.get(key)
    if (other === undefined) {
      byWords.set(key, tool)
      return []
    }
    const message = `\`${other.wireName}\` and \`${tool.wireName}\` are the same name but for its form.`
    return [{ about: aboutTool(tool), message }]
  })
}

/** The words of a name in any order, but for `celsius_to_fahrenheit`, where the order is what matters. */
function keyOf(name: string): string {
  const words = wordsOf(name).map(singular)
  const isDirected = words.some((word) => ['to', 'from', 'by', 'of', 'in', '2'].includes(word))
  return (isDirected ? words : [...words].sort()).join(' ')
}
