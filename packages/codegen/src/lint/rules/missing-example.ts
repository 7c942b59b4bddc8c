import { plainShape } from '../scene/fields.js'
import { aboutTool, type Rule } from '../scene/rule.js'
import type { ToolScene } from '../scene/scene.js'

/** How deep objects may be nested before one wants to see one. */
const deepest = 3

/** Arguments that are hard to write, without one to look at. */
export const missingExample: Rule = {
  id: 'missing-example',
  code: 'TG8320',
  next: 'Add one to `examples`: it is checked against the payload, and models are shown it when they send what is wrong.',
  examples: {
    bad: `bookBack: defineTool({
  description: 'Gives money back.',
  payload: z.object({
    target: z.union([
      z.object({ iban: z.string().describe('Where the money goes') }),
      z.object({ card: z.string().describe('The last four digits') }),
    ]).describe('By which way'),
  }),
  result: z.object({ paid: z.boolean() }),
})`,
    good: `bookBack: defineTool({
  description: 'Gives money back.',
  payload: z.object({
    target: z.union([
      z.object({ iban: z.string().describe('Where the money goes') }),
      z.object({ card: z.string().describe('The last four digits') }),
    ]).describe('By which way'),
  }),
  result: z.object({ paid: z.boolean() }),
  examples: [{ target: { card: '4242' } }],
})`,
  },
  check: ({ tools }) =>
    tools.flatMap((scene) => {
      const why = scene.tool.examples.length > 0 ? undefined : hardness(scene)
      if (why === undefined) return []
      return [{ about: aboutTool(scene, 'payload'), message: `\`${scene.tool.id}\` ${why}, and has no example.` }]
    }),
}

function hardness({ fields, toolset: { defs } }: ToolScene): string | undefined {
  const union = fields.find(({ shape }) => {
    if (shape.kind !== 'union') return false
    return shape.variants.filter((variant) => plainShape(variant, defs).kind === 'object').length > 1
  })
  if (union !== undefined) return `takes one of several objects as \`${union.path}\``
  const deep = fields.find(({ names }) => names.length > deepest)
  return deep === undefined ? undefined : `nests objects as deep as \`${deep.path}\``
}
