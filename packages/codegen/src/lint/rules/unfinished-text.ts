import { aboutField, aboutTool, type Finding, type Rule } from '../scene/rule.js'
import type { ToolScene } from '../scene/scene.js'

const unfinished: RegExp = /\b(?:TODO|FIXME|TBD)\b(?!['’`"])|\blorem ipsum\b/

/** Texts for models that somebody meant to write later. */
export const unfinishedText: Rule = {
  id: 'unfinished-text',
  code: 'TG8304',
  next: 'Write the text, or take the note out of what models read.',
  examples: {
    bad: `cancelOrder: defineTool({
  description: 'Cancels an order that has not left the warehouse. TODO: what about refunds?',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ cancelled: z.boolean() }),
  confirmation: { prompt: 'Cancel {{orderId}}?' },
})`,
    good: `cancelOrder: defineTool({
  description: 'Cancels an order that has not left the warehouse. What was paid goes back within two days.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ cancelled: z.boolean() }),
  confirmation: { prompt: 'Cancel {{orderId}}?' },
})`,
  },
  check: ({ tools }) => tools.flatMap(unfinishedOf),
}

function unfinishedOf(scene: ToolScene): readonly Finding[] {
  const note = unfinished.exec(scene.tool.description)?.[0]
  const ofTool = { about: aboutTool(scene, 'description'), message: said(note, `\`${scene.tool.id}\``) }
  const ofFields = scene.fields.flatMap((field): readonly Finding[] => {
    const found = unfinished.exec(field.description ?? '')?.[0]
    if (found === undefined) return []
    return [{ about: aboutField(scene, field), message: said(found, `\`${field.path}\` of \`${scene.tool.id}\``) }]
  })
  return note === undefined ? ofFields : [ofTool, ...ofFields]
}

function said(note: string | undefined, what: string): string {
  return `The description of ${what} is unfinished: it has \`${note}\`.`
}
