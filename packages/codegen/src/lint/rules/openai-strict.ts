import { changeLines, sentLine } from '../scene/form-lines.js'
import { aboutTool, type Rule } from '../scene/rule.js'

/** Tools that OpenAI's models fill in without being held to the schema. */
export const openAiStrict: Rule = {
  id: 'openai-strict',
  code: 'TG8330',
  vendor: 'openai',
  next: 'Name the fields and their types as the reasons say, or accept that arguments may not fit and are refused by the codec.',
  examples: {
    bad: `tagOrder: defineTool({
  description: 'Attaches labels to an order.',
  payload: z.object({ labels: z.record(z.string(), z.string()).describe('Label to text') }),
  result: z.object({ tagged: z.boolean() }),
})`,
    good: `tagOrder: defineTool({
  description: 'Attaches labels to an order.',
  payload: z.object({
    labels: z
      .array(z.object({ label: z.string().describe('Name'), text: z.string().describe('What it says') }))
      .describe('All of them'),
  }),
  result: z.object({ tagged: z.boolean() }),
})`,
  },
  check: ({ tools, forms }) =>
    tools.flatMap((scene) => {
      const form = forms.openai?.({ ...scene, wireName: scene.tool.wireName })
      if (form === undefined || form.strict !== false) return []
      const reasons = form.changes.filter(({ kind }) => kind === 'fallback')
      return [
        {
          about: aboutTool(scene, 'payload'),
          message: `\`${scene.tool.wireName}\` is sent to OpenAI without strict mode: ${reasons[0]?.message ?? 'strict mode cannot say it.'}`,
          facts: [...changeLines(form.changes), sentLine(form)],
          form,
        },
      ]
    }),
}
