import type { ToolIr } from '../../ir/types.js'
import { thingListed, thingOf } from '../scene/ids.js'
import { listedObjects } from '../scene/lists.js'
import { aboutTool, type Finding, type Rule } from '../scene/rule.js'
import type { SeenTool, Sight } from '../scene/scene.js'
import { speaksOfIds, wordsOf } from '../scene/words.js'

/** Lists of things without that by which other tools know them. */
export const idMissingInResult: Rule = {
  id: 'id-missing-in-result',
  code: 'TG8308',
  next: 'Let every entry of the list carry the id.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ total: z.number() })).max(20) }),
}),
getOrder: defineTool({
  description: 'One order with its line items.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string(), total: z.number() })).max(20) }),
}),
getOrder: defineTool({
  description: 'One order with its line items.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
  },
  check: ({ sights }) => sights.flatMap(missingIn),
}

function missingIn({ tools }: Sight): readonly Finding[] {
  const takers = takersIn(tools)
  return tools.flatMap((scene): readonly Finding[] => {
    const taker = takers.get(thingListed(scene) ?? '')?.find(({ tool }) => tool !== scene.tool)
    if (taker === undefined) return []
    const unnamed = listedObjects(scene).some(({ fields }) => !fields.some(({ name }) => identifies(name)))
    if (!unnamed) return []
    const message = `The entries that \`${scene.tool.id}\` lists have no id, but \`${taker.tool.id}\` takes \`${taker.field}\`.`
    return [{ about: aboutTool(scene, 'result'), message }]
  })
}

interface Taker {
  readonly tool: ToolIr
  readonly field: string
}

/** The tools that require an id, by what it names. */
function takersIn(tools: readonly SeenTool[]): ReadonlyMap<string, readonly Taker[]> {
  const takers = new Map<string, Taker[]>()
  for (const scene of tools) {
    for (const field of scene.fields) {
      const thing = field.required ? thingOf(field, scene) : undefined
      if (thing === undefined || thing === '') continue
      takers.set(thing, [...(takers.get(thing) ?? []), { tool: scene.tool, field: field.path }])
    }
  }
  return takers
}

const otherKeys: ReadonlySet<string> = new Set(
  'key code number no ref reference sku slug url uri path name login'.split(' '),
)

function identifies(name: string): boolean {
  return speaksOfIds(name) || wordsOf(name).some((word) => otherKeys.has(word))
}
