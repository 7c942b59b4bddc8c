import { graveVerb } from '../scene/effects.js'
import { aboutTool, type Rule } from '../scene/rule.js'
import type { ToolScene } from '../scene/scene.js'

/** Calls that cannot be taken back, and that a model makes alone. */
export const unconfirmedMutation: Rule = {
  id: 'unconfirmed-mutation',
  code: 'TG8310',
  next: "Add `confirmation: { prompt: '...' }`, or say that it destroys nothing with `destructive: false`.",
  examples: {
    bad: `deleteOrder: defineTool({
  description: 'Erases an order and its history.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
})`,
    good: `deleteOrder: defineTool({
  description: 'Erases an order and its history.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
  confirmation: { prompt: 'Erase {{orderId}} for good?' },
})`,
  },
  check: ({ tools }) =>
    tools.flatMap((scene) => {
      const why = reasonOf(scene)
      if (why === undefined) return []
      return [
        { about: aboutTool(scene), message: `\`${scene.tool.id}\` ${why}, and no person is asked before it runs.` },
      ]
    }),
}

function reasonOf({ tool }: ToolScene): string | undefined {
  const { readOnly, destructive } = tool.annotations
  if (tool.confirmation !== undefined || readOnly === true || destructive === false) return undefined
  if (destructive === true) return 'says that it destroys something'
  const verb = graveVerb(tool)
  return verb === undefined ? undefined : `seems to do what cannot be taken back (\`${verb}\`)`
}
