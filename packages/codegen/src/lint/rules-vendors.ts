import type { Vendor } from '../load/toolgen-config.js'
import type { FormChange, VendorForm } from '../tokens/vendor-forms.js'
import { type LintContext, type LintDiagnostic, type Rule, toolSubject } from './context.js'
import { examplePair, findOrders } from './examples.js'

/** Rules for the forms in which vendors get the tools. */
export const vendorRules: readonly Rule[] = [
  {
    id: 'openai-strict',
    code: 'TG8330',
    vendor: 'openai',
    next: 'Name the fields and their types as the reasons say, or accept that arguments may not fit and are refused by the codec.',
    examples: examplePair(
      `tagOrder: defineTool({
  description: 'Attaches labels to an order.',
  payload: z.object({…}),
  result: z.object({ tagged: z.boolean() }),
})`,
      " labels: z.record(z.string(), z.string()).describe('Label to text') ",
      `
    labels: z
      .array(z.object({ label: z.string().describe('Name'), text: z.string().describe('What it says') }))
      .describe('All of them'),
  `,
    ),
    check: (context) =>
      reportForms(context, 'openai', ({ strict, changes }, name) => {
        if (strict !== false) return undefined
        const reason = changes.find(({ kind }) => kind === 'fallback')?.message ?? 'strict mode cannot say it.'
        return { changes, message: `\`${name}\` is sent to OpenAI without strict mode: ${reason}` }
      }),
  },
  {
    id: 'anthropic-form',
    code: 'TG8331',
    vendor: 'anthropic',
    next: 'Rename the field to 1 to 64 letters, digits, `_`, `.` or `-`; a binding can give it its old name for the service.',
    examples: examplePair(
      findOrders({ payload: '{ … }' }),
      "'e-mail address': z.string().describe('Of the customer')",
      "email: z.string().describe('E-mail address of the customer')",
    ),
    check: (context) => reportForms(context, 'anthropic', rejection),
  },
  {
    id: 'gemini-form',
    code: 'TG8332',
    vendor: 'gemini',
    next: 'Give the tool a `toolName` that begins with a letter or `_`.',
    examples: examplePair(findOrders({ more: "  toolName: '…',\n" }), '1_find_orders', 'find_orders_first'),
    check: (context) => reportForms(context, 'gemini', rejection),
  },
  {
    id: 'mcp-form',
    code: 'TG8333',
    vendor: 'mcp',
    next: 'Make the payload one object, with a field that holds the choice, or accept that the model reads it in the description only.',
    examples: examplePair(
      `findCustomer: defineTool({
  description: 'One customer with name and address.',
  payload: z.…})`,
      `union([
    z.object({ email: z.string().describe('E-mail address of the customer') }),
    z.object({ phone: z.string().describe('Number with the code of the country') }),
  ]),
  result: z.object({ name: z.string(), city: z.string() }),
  examples: [{ email: 'ada@example.com' }],
`,
      `object({
    by: z.enum(['email', 'phone']).describe('What the text is'),
    text: z.string().describe('E-mail address, or number with the code of the country'),
  }),
  result: z.object({ name: z.string(), city: z.string() }),
`,
    ),
    check: (context) =>
      reportForms(context, 'mcp', (form, name) => {
        const changes = form.changes.filter(
          ({ kind, keyword, loosens }) => kind === 'fallback' || keyword === 'outputSchema' || loosens,
        )
        const message = `An MCP server lists \`${name}\` in a weaker form: ${changes[0]?.message}`
        return changes.length === 0 ? undefined : { changes, message }
      }),
  },
]

/** A problem of a form: its message, and the changes that explain it. */
interface FormProblem {
  readonly message: string
  readonly changes: readonly FormChange[]
}

/** Returns the problem of a form that the vendor's API rejects. */
function rejection({ changes }: VendorForm, name: string): FormProblem | undefined {
  const fallbacks = changes.filter(({ kind }) => kind === 'fallback')
  const [first] = fallbacks
  return first && { changes: fallbacks, message: `\`${name}\` cannot be sent as it is: ${first.message}` }
}

/** Limits for a terminal; `--json` has the whole schema. */
const maxLength = 1_000
const maxChanges = 5

function reportForms(
  { tools, forms }: LintContext,
  vendor: Vendor,
  problemOf: (form: VendorForm, name: string) => FormProblem | undefined,
): readonly LintDiagnostic[] {
  const formOf = forms[vendor]
  if (formOf === undefined) return []
  return tools.flatMap((lintTool) => {
    const { toolName } = lintTool.tool
    const form = formOf({ ...lintTool, toolName })
    const problem = problemOf(form, toolName)
    if (problem === undefined) return []
    const { message, changes } = problem
    const side = vendor === 'mcp' && changes[0]?.keyword === 'outputSchema' ? 'result' : 'payload'
    const lines = changes.map((change) => `${change.pointer || '(root)'} ${change.keyword}: ${change.message}`)
    const left = lines.length - maxChanges
    const shown = left > 1 ? [...lines.slice(0, maxChanges), `${left} more changes`] : lines
    const schema = JSON.stringify(form.schema)
    const sent = schema.length > maxLength ? `${schema.slice(0, maxLength)}… (${schema.length} characters)` : schema
    return [{ subject: toolSubject(lintTool, side), message, facts: [...shown, `sent: ${sent}`], form }]
  })
}
