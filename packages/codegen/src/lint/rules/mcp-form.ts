import { changeLines, sentLine } from '../scene/form-lines.js'
import { aboutTool, type Rule } from '../scene/rule.js'

/** Tools that an MCP server cannot list as they are. */
export const mcpForm: Rule = {
  id: 'mcp-form',
  code: 'TG8333',
  vendor: 'mcp',
  next: 'Make the payload one object, with a field that holds the choice, or accept that the model reads it in the description only.',
  examples: {
    bad: `findCustomer: defineTool({
  description: 'One customer with name and address.',
  payload: z.union([
    z.object({ email: z.string().describe('E-mail address of the customer') }),
    z.object({ phone: z.string().describe('Number with the code of the country') }),
  ]),
  result: z.object({ name: z.string(), city: z.string() }),
  examples: [{ email: 'ada@example.com' }],
})`,
    good: `findCustomer: defineTool({
  description: 'One customer with name and address.',
  payload: z.object({
    by: z.enum(['email', 'phone']).describe('What the text is'),
    text: z.string().describe('E-mail address, or number with the code of the country'),
  }),
  result: z.object({ name: z.string(), city: z.string() }),
})`,
  },
  check: ({ tools, forms }) =>
    tools.flatMap((scene) => {
      const form = forms.mcp?.({ ...scene, wireName: scene.tool.wireName })
      const lost = form?.changes.filter(
        ({ kind, keyword, loosens }) => kind === 'fallback' || keyword === 'outputSchema' || loosens,
      )
      if (form === undefined || lost?.[0] === undefined) return []
      return [
        {
          about: aboutTool(scene, lost[0].keyword === 'outputSchema' ? 'result' : 'payload'),
          message: `An MCP server lists \`${scene.tool.wireName}\` in a weaker form: ${lost[0].message}`,
          facts: [...changeLines(lost), sentLine(form)],
          form,
        },
      ]
    }),
}
