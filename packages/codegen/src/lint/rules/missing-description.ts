import type { Shape } from '../../schema/shape/shape.js'
import type { Field } from '../scene/fields.js'
import { speaksOfPages } from '../scene/pages.js'
import { aboutField, type Rule } from '../scene/rule.js'
import { toolsWith } from '../scene/tools-with.js'
import { isAmbiguous } from './ambiguous-field.js'
import { isTrap } from './boolean-trap.js'
import { isCoded } from './undescribed-enum.js'
import { unplumbedFields } from './unplumbed-id.js'

/** Fields about which a model knows the name alone. */
export const missingDescription: Rule = {
  id: 'missing-description',
  code: 'TG8301',
  next: 'Say of each field what it holds and where the value comes from, e.g. with `.describe(...)`.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ customer: z.string(), shelf: z.string() }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({
    customer: z.string().describe('E-mail address of the customer'),
    status: z.enum(['open', 'shipped']),
  }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
  },
  check: ({ tools, sights }) => {
    const unplumbed = unplumbedFields(sights)
    return toolsWith(tools, (field) => isBare(field) && !unplumbed.has(field)).map(({ scene, first, names, many }) => ({
      about: aboutField(scene, first),
      message: `${names} of \`${scene.tool.id}\` ${many ? 'have' : 'has'} no description.`,
    }))
  },
}

/** What the name and the type say, and what a more exact rule says, is not asked for. */
function isBare(field: Field): boolean {
  const { description = '', shape } = field
  if (description.trim() !== '' || isAmbiguous(field) || isTrap(field) || isCoded(field)) return false
  return !isChoice(shape) && !isContainer(shape) && !(shape.kind === 'number' && speaksOfPages(field.name))
}

/** Choices speak for themselves where they are words. */
function isChoice({ kind }: Shape): boolean {
  return kind === 'literals'
}

/** What is said of the fields inside says it of the object. */
function isContainer(shape: Shape): boolean {
  if (shape.kind === 'array') return isContainer(shape.items)
  return shape.kind === 'ref' || (shape.kind === 'object' && shape.fields.length > 0)
}
