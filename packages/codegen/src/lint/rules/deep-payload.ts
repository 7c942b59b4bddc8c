import { aboutField, type Rule } from '../scene/rule.js'
import { toolsWith } from '../scene/tools-with.js'

/** How many objects may stand in each other. */
const deepest = 4

/** Arguments that are nested deeper than models write well. */
export const deepPayload: Rule = {
  id: 'deep-payload',
  code: 'TG8314',
  next: 'Flatten the payload; a mapper or the service can build the nested form.',
  examples: {
    bad: `setAddress: defineTool({
  description: 'Changes where an order is delivered.',
  payload: z.object({
    order: z.object({
      delivery: z.object({
        address: z.object({
          place: z.object({ city: z.string().describe('City') }).describe('Place'),
        }).describe('Address'),
      }).describe('Delivery'),
    }).describe('Order'),
  }),
  result: z.object({ changed: z.boolean() }),
  examples: [{ order: { delivery: { address: { place: { city: 'Bern' } } } } }],
})`,
    good: `setAddress: defineTool({
  description: 'Changes where an order is delivered.',
  payload: z.object({ city: z.string().describe('City of the new address') }),
  result: z.object({ changed: z.boolean() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(tools, ({ names }) => names.length === deepest + 1).map(({ scene, first, names }) => ({
      about: aboutField(scene, first),
      message: `\`${scene.tool.id}\` has objects in objects, more than ${deepest} deep: ${names}.`,
    })),
}
