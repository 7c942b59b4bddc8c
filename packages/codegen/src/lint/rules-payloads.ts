import { type LintTool, plainShape, type Rule, reportFields, reportTools } from './context.js'
import { examplePair, shop } from './examples.js'

/** Limits above which models make more mistakes. OpenAI's guide to function calling recommends 20 tools. */
const maxDepth = 4
const maxFields = 15
const maxTools = 20
/** Depth from which an example helps. */
const exampleDepth = 3

/** Rules for the size and the types of payloads. */
export const payloadRules: readonly Rule[] = [
  {
    id: 'too-many-tools',
    code: 'TG8312',
    next: 'Leave tools out with `only`, or give some of them to an agent of their own and use that with `fromAgent`.',
    examples: examplePair(
      shop('…'),
      `Object.fromEntries(
    Array.from({ length: 21 }, (_, index) => [
      \`openAisle\${index}\`,
      defineTool({
        description: \`Walk to aisle \${index} and say what stands there.\`,
        payload: z.object({}),
        result: z.object({ goods: z.string() }),
      }),
    ]),
  )`,
      `{
    openAisle: defineTool({
      description: 'Walk to an aisle and say what stands there.',
      payload: z.object({ aisle: z.number().int().describe('Which one, counted from the door') }),
      result: z.object({ goods: z.string() }),
    }),
  }`,
    ),
    check: ({ toolLists }) =>
      toolLists.flatMap(({ agent, tools }) => {
        if (agent === undefined || tools.length <= maxTools) return []
        const message = `The model of \`${agent.name}\` chooses among ${tools.length} tools; beyond ${maxTools} models choose worse, and every request pays for all of them.`
        return [{ subject: { kind: 'agent', agent: agent.name, path: ['uses'] }, message }]
      }),
  },
  {
    id: 'too-many-fields',
    code: 'TG8313',
    next: 'Split the tool by what people want to do, fill what the application knows with `serverOwned`, or leave out what nobody needs.',
    examples: examplePair(
      `addCustomer: defineTool({
  description: 'Adds a customer to the address book.',
  payload: z.object(…),
  result: z.object({ added: z.boolean() }),
})`,
      `
    Object.fromEntries(
      Array.from({ length: 16 }, (_, at) => [\`line\${at}of\`, z.string().describe(\`Line \${at} of the form\`)]),
    ),
  `,
      `{
    name: z.string().describe('Full name, as on the letter'),
    email: z.string().describe('Where invoices go'),
  }`,
    ),
    check: ({ tools }) =>
      reportTools(tools, ['payload'], ({ tool, fields }) => {
        const direct = fields.filter(({ path }) => path.length === 1).length
        return direct > maxFields
          ? `\`${tool.id}\` takes ${direct} fields; beyond ${maxFields} models leave out or mix up some.`
          : undefined
      }),
  },
  {
    id: 'deep-payload',
    code: 'TG8314',
    next: 'Flatten the payload; a mapper or the service can build the nested form.',
    examples: {
      bad: `setAddress: defineTool({
  description: 'Changes where an order is delivered.',
  payload: z.object({
    order: z.object({
      delivery: z.object({
        address: z.object({
          place: z.object({ city: z.string().describe('City') }).describe('Place'),
        }).describe('Address'),
      }).describe('Delivery'),
    }).describe('Order'),
  }),
  result: z.object({ changed: z.boolean() }),
  examples: [{ order: { delivery: { address: { place: { city: 'Bern' } } } } }],
})`,
      good: `setAddress: defineTool({
  description: 'Changes where an order is delivered.',
  payload: z.object({ city: z.string().describe('City of the new address') }),
  result: z.object({ changed: z.boolean() }),
})`,
    },
    check: ({ tools }) =>
      reportFields(
        tools,
        ({ path }) => path.length === maxDepth + 1,
        (names, id) => `${id} has objects in objects, more than ${maxDepth} deep: ${names}.`,
      ),
  },
  {
    id: 'untyped-field',
    code: 'TG8315',
    next: 'Say which values it takes: a type, a union, or named fields.',
    examples: examplePair(
      `setField: defineTool({
  description: 'Changes one detail of an order.',
  payload: z.object({ note: z.…().describe('What the detail becomes') }),
  result: z.object({ changed: z.boolean() }),
})`,
      'unknown',
      'string',
    ),
    check: ({ tools }) =>
      reportFields(
        tools,
        ({ shape }) => shape.kind === 'unknown' || (shape.kind === 'array' && shape.items.kind === 'unknown'),
        (names, id, many) => `${names} of ${id} ${many ? 'take' : 'takes'} any value, so that a model has to guess.`,
      ),
  },
  {
    id: 'missing-example',
    code: 'TG8320',
    next: 'Add one to `examples`: it is checked against the payload, and models are shown it when they send what is wrong.',
    examples: examplePair(
      `bookBack: defineTool({
  description: 'Gives money back.',
  payload: z.object({
    target: z.union([
      z.object({ iban: z.string().describe('Where the money goes') }),
      z.object({ card: z.string().describe('The last four digits') }),
    ]).describe('By which way'),
  }),
  result: z.object({ paid: z.boolean() }),
…})`,
      '',
      "  examples: [{ target: { card: '4242' } }],\n",
    ),
    check: ({ tools }) =>
      reportTools(tools, ['payload'], (tool) => {
        const reason = tool.tool.examples.length > 0 ? undefined : difficulty(tool)
        return reason && `\`${tool.tool.id}\` ${reason}, and has no example.`
      }),
  },
]

function difficulty({ fields, toolset: { defs } }: LintTool): string | undefined {
  const union = fields.find(
    ({ shape }) =>
      shape.kind === 'union' &&
      shape.variants.filter((variant) => plainShape(variant, defs).kind === 'object').length > 1,
  )
  if (union !== undefined) return `takes one of several objects as \`${union.label}\``
  const deep = fields.find(({ path }) => path.length > exampleDepth)
  return deep && `nests objects as deep as \`${deep.label}\``
}
