import type { Field } from '../scene/fields.js'
import { aboutField, type Rule } from '../scene/rule.js'
import { toolsWith } from '../scene/tools-with.js'

/** Choices that are codes. */
export const undescribedEnum: Rule = {
  id: 'undescribed-enum',
  code: 'TG8318',
  next: 'Take words for the choices, or say in the description what each one stands for.',
  examples: {
    bad: `setPriority: defineTool({
  description: 'Changes how soon an order is packed.',
  payload: z.object({ lane: z.enum(['A', 'B', 'C']) }),
  result: z.object({ changed: z.boolean() }),
})`,
    good: `setPriority: defineTool({
  description: 'Changes how soon an order is packed.',
  payload: z.object({ lane: z.enum(['A', 'B', 'C']).describe('A today, B tomorrow, C this week') }),
  result: z.object({ changed: z.boolean() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(tools, isCoded).map(({ scene, first, names }) => ({
      about: aboutField(scene, first),
      message: `The choices of ${names} of \`${scene.tool.id}\` are codes of which nothing says what they mean.`,
    })),
}

/** Whether the values of a field are single characters or numbers, and nothing is said of the field. */
export function isCoded({ description = '', shape }: Field): boolean {
  if (shape.kind !== 'literals' || shape.values.length < 2 || description.trim() !== '') return false
  return shape.values.some(
    (value) => typeof value === 'number' || (typeof value === 'string' && /^.$|^\d+$/u.test(value)),
  )
}
