import { aboutTool, type Rule } from '../scene/rule.js'

const most = 15

/** Tools that ask a model for too much at once. */
export const tooManyFields: Rule = {
  id: 'too-many-fields',
  code: 'TG8313',
  next: 'Split the tool by what people want to do, fill what the application knows with `serverOwned`, or leave out what nobody needs.',
  examples: {
    bad: `addCustomer: defineTool({
  description: 'Adds a customer to the address book.',
  payload: z.object(
    Object.fromEntries(
      Array.from({ length: 16 }, (_, at) => [\`line\${at}of\`, z.string().describe(\`Line \${at} of the form\`)]),
    ),
  ),
  result: z.object({ added: z.boolean() }),
})`,
    good: `addCustomer: defineTool({
  description: 'Adds a customer to the address book.',
  payload: z.object({
    name: z.string().describe('Full name, as on the letter'),
    email: z.string().describe('Where invoices go'),
  }),
  result: z.object({ added: z.boolean() }),
})`,
  },
  check: ({ tools }) =>
    tools.flatMap((scene) => {
      const direct = scene.fields.filter(({ names }) => names.length === 1).length
      if (direct <= most) return []
      const message = `\`${scene.tool.id}\` takes ${direct} fields; beyond ${most} models leave out or mix up some.`
      return [{ about: aboutTool(scene, 'payload'), message }]
    }),
}
