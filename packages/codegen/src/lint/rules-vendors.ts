import type { Vendor } from '../load/config-checks.js'
import type { FormChange, VendorForm } from '../tokens/vendor-forms.js'
import { aboutTool, type Finding, type Rule, type Scene } from './context.js'

/** Tools that Anthropic's API refuses. */
export const anthropicForm: Rule = {
  id: 'anthropic-form',
  code: 'TG8331',
  vendor: 'anthropic',
  next: 'Rename the field to 1 to 64 letters, digits, `_`, `.` or `-`; a binding can give it its old name for the service.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ 'e-mail address': z.string().describe('Of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
  },
  check: (scene) => refusedForms(scene, 'anthropic'),
}

/** Tools that Gemini's API refuses. */
export const geminiForm: Rule = {
  id: 'gemini-form',
  code: 'TG8332',
  vendor: 'gemini',
  next: 'Give the tool a `toolName` that begins with a letter or `_`.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
  toolName: '1_find_orders',
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
  toolName: 'find_orders_first',
})`,
  },
  check: (scene) => refusedForms(scene, 'gemini'),
}

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
      const form = forms.openai?.({ ...scene, toolName: scene.tool.toolName })
      if (form === undefined || form.strict !== false) return []
      const reasons = form.changes.filter(({ kind }) => kind === 'fallback')
      return [
        {
          about: aboutTool(scene, 'payload'),
          message: `\`${scene.tool.toolName}\` is sent to OpenAI without strict mode: ${reasons[0]?.message ?? 'strict mode cannot say it.'}`,
          facts: [...changeLines(form.changes), sentLine(form)],
          form,
        },
      ]
    }),
}

/** The tools that a vendor's API refuses whatever is done to their schemas. */
function refusedForms({ tools, forms }: Scene, vendor: Vendor): readonly Finding[] {
  const formOf = forms[vendor]
  if (formOf === undefined) return []
  return tools.flatMap((scene): readonly Finding[] => {
    const form = formOf({ ...scene, toolName: scene.tool.toolName })
    const refused = form.changes.filter(({ kind }) => kind === 'fallback')
    const [first] = refused
    if (first === undefined) return []
    const message = `\`${scene.tool.toolName}\` cannot be sent as it is: ${first.message}`
    return [{ about: aboutTool(scene, 'payload'), message, facts: [...changeLines(refused), sentLine(form)], form }]
  })
}

/** Beyond these a line is cut: people look at it in a terminal, and `--json` has the whole schema. */
const longest = 1_000
const mostChanges = 5

/** What a vendor's form changes, a line each, the first few of them. */
function changeLines(changes: readonly FormChange[]): readonly string[] {
  const lines = changes.map(
    ({ pointer, keyword, message }) => `${pointer === '' ? '(root)' : pointer} ${keyword}: ${message}`,
  )
  const left = lines.length - mostChanges
  return left > 1 ? [...lines.slice(0, mostChanges), `${left} more changes`] : lines
}

/** The schema that is sent. */
function sentLine({ schema }: VendorForm): string {
  const text = JSON.stringify(schema)
  return `sent: ${text.length > longest ? `${text.slice(0, longest)}… (${text.length} characters)` : text}`
}

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
      const form = forms.mcp?.({ ...scene, toolName: scene.tool.toolName })
      const lost = form?.changes.filter(
        ({ kind, keyword, loosens }) => kind === 'fallback' || keyword === 'outputSchema' || loosens,
      )
      if (form === undefined || lost?.[0] === undefined) return []
      return [
        {
          about: aboutTool(scene, lost[0].keyword === 'outputSchema' ? 'result' : 'payload'),
          message: `An MCP server lists \`${scene.tool.toolName}\` in a weaker form: ${lost[0].message}`,
          facts: [...changeLines(lost), sentLine(form)],
          form,
        },
      ]
    }),
}
