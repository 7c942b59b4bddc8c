import { graveVerb } from '../scene/effects.js'
import { aboutTool, type Finding, type Rule } from '../scene/rule.js'
import type { ToolScene } from '../scene/scene.js'

/** Annotations that cannot both be true, or that the name denies. */
export const contradictoryAnnotations: Rule = {
  id: 'contradictory-annotations',
  code: 'TG8311',
  next: 'Take out what is not so: layers retry, cache and run calls at once by what is declared here.',
  examples: {
    bad: `deleteOrder: defineTool({
  description: 'Erases an order and its history.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
  readOnly: true,
})`,
    good: `deleteOrder: defineTool({
  description: 'Erases an order and its history.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
  destructive: true,
  confirmation: { prompt: 'Erase {{orderId}} for good?' },
})`,
  },
  check: ({ tools }) => tools.flatMap(contradictionOf),
}

function contradictionOf(scene: ToolScene): readonly Finding[] {
  const { tool } = scene
  if (tool.annotations.readOnly !== true) return []
  const verb = graveVerb(tool)
  const but =
    tool.annotations.destructive === true ? 'also that it destroys something' : verb && `its name says \`${verb}\``
  if (but === undefined) return []
  return [{ about: aboutTool(scene, 'readOnly'), message: `\`${tool.id}\` says that it changes nothing, but ${but}.` }]
}
