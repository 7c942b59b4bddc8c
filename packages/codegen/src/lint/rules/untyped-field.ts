import { aboutField, type Rule } from '../scene/rule.js'
import { toolsWith } from '../scene/tools-with.js'

/** Fields that take anything. */
export const untypedField: Rule = {
  id: 'untyped-field',
  code: 'TG8315',
  next: 'Say which values it takes: a type, a union, or named fields.',
  examples: {
    bad: `setField: defineTool({
  description: 'Changes one detail of an order.',
  payload: z.object({ note: z.unknown().describe('What the detail becomes') }),
  result: z.object({ changed: z.boolean() }),
})`,
    good: `setField: defineTool({
  description: 'Changes one detail of an order.',
  payload: z.object({ note: z.string().describe('What the detail becomes') }),
  result: z.object({ changed: z.boolean() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(
      tools,
      ({ shape }) => shape.kind === 'unknown' || (shape.kind === 'array' && shape.items.kind === 'unknown'),
    ).map(({ scene, first, names, many }) => ({
      about: aboutField(scene, first),
      message: `${names} of \`${scene.tool.id}\` ${many ? 'take' : 'takes'} any value, so that a model has to guess.`,
    })),
}
