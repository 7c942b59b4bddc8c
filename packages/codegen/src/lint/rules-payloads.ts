import type { ToolIr } from '../ir/types.js'
import type { Shape } from '../schema/shape.js'
import {
  aboutField,
  aboutTool,
  type Field,
  type Finding,
  givenIds,
  gives,
  isBounded,
  listedObjects,
  listsOf,
  type Rule,
  type SeenTool,
  type Sight,
  saysOnly,
  speaksOfIds,
  speaksOfPages,
  type ToolScene,
  thingListed,
  thingOf,
  toolsWith,
  wordsOf,
} from './context.js'

/** How many objects may stand in each other. */
const deepest = 4

/** Arguments that are nested deeper than models write well. */
export const deepPayload: Rule = {
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
    toolsWith(tools, ({ names }) => names.length === deepest + 1).map(({ scene, first, names }) => ({
      about: aboutField(scene, first),
      message: `\`${scene.tool.id}\` has objects in objects, more than ${deepest} deep: ${names}.`,
    })),
}

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

/** What OpenAI advises to stay below, in its guide to function calling. */
const maxTools = 20

/** Agents whose model has to choose among too many tools. */
export const tooManyTools: Rule = {
  id: 'too-many-tools',
  code: 'TG8312',
  next: 'Leave tools out with `only`, or give some of them to an agent of their own and use that with `fromAgent`.',
  examples: {
    bad: `export const shop = defineToolset('shop', {
  description: 'Everything about the shop.',
  tools: Object.fromEntries(
    Array.from({ length: 21 }, (_, index) => [
      \`openAisle\${index}\`,
      defineTool({
        description: \`Walk to aisle \${index} and say what stands there.\`,
        payload: z.object({}),
        result: z.object({ goods: z.string() }),
      }),
    ]),
  ),
})
export const clerk = defineAgent('clerk', { description: 'Knows the shop.', uses: [fromMcp(shop)] })`,
    good: `export const shop = defineToolset('shop', {
  description: 'Everything about the shop.',
  tools: {
    openAisle: defineTool({
      description: 'Walk to an aisle and say what stands there.',
      payload: z.object({ aisle: z.number().int().describe('Which one, counted from the door') }),
      result: z.object({ goods: z.string() }),
    }),
  },
})
export const clerk = defineAgent('clerk', { description: 'Knows the shop.', uses: [fromMcp(shop)] })`,
  },
  check: ({ sights }) =>
    sights.flatMap(({ agent, tools }) => {
      if (agent === undefined || tools.length <= maxTools) return []
      const message = `The model of \`${agent.name}\` chooses among ${tools.length} tools; beyond ${maxTools} models choose worse, and every request pays for all of them.`
      return [{ about: { kind: 'agent', agent: agent.name, path: ['uses'] }, message }]
    }),
}

/** Answers that can be as long as a table. */
export const unboundedList: Rule = {
  id: 'unbounded-list',
  code: 'TG8309',
  next: 'Give the list a `maxItems` (`.max(50)`), or let the model ask for pages: a `limit` with a `cursor`.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })) }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({
    email: z.string().describe('E-mail address of the customer'),
    limit: z.number().int().max(50).default(10).describe('How many at most'),
  }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })) }),
})`,
  },
  check: ({ tools }) =>
    tools
      .filter((scene) => !takesPages(scene) && listsOf(scene).some((list) => !isBounded(list) && isLarge(list.items)))
      .map((scene) => ({
        about: aboutTool(scene, 'result'),
        message: `\`${scene.tool.id}\` answers a list of any length, and the model cannot ask for less.`,
      })),
}

function takesPages({ fields }: ToolScene): boolean {
  return fields.some(({ name }) => speaksOfPages(name))
}

/** A list of numbers or words is seldom what fills a context. */
function isLarge({ kind }: Shape): boolean {
  return !['string', 'number', 'boolean', 'literals', 'null'].includes(kind)
}

/** Fields that take anything. */
export const untypedField: Rule = {
  id: 'untyped-field',
  code: 'TG8315',
  next: 'Say which values it takes: a type, a union, or named fields.',
  examples: {
    bad: `setField: defineTool({
  description: 'Changes one detail of an order.',
  payload: z.object({ note: z.unknown().describe('What the detail becomes') }),
  result: z.object({ changed: z.boolean() }),
})`,
    good: `setField: defineTool({
  description: 'Changes one detail of an order.',
  payload: z.object({ note: z.string().describe('What the detail becomes') }),
  result: z.object({ changed: z.boolean() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(
      tools,
      ({ shape }) => shape.kind === 'unknown' || (shape.kind === 'array' && shape.items.kind === 'unknown'),
    ).map(({ scene, first, names, many }) => ({
      about: aboutField(scene, first),
      message: `${names} of \`${scene.tool.id}\` ${many ? 'take' : 'takes'} any value, so that a model has to guess.`,
    })),
}

/** Lists of things without that by which other tools know them. */
export const idMissingInResult: Rule = {
  id: 'id-missing-in-result',
  code: 'TG8308',
  next: 'Let every entry of the list carry the id.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ total: z.number() })).max(20) }),
}),
getOrder: defineTool({
  description: 'One order with its line items.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string(), total: z.number() })).max(20) }),
}),
getOrder: defineTool({
  description: 'One order with its line items.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
  },
  check: ({ sights }) => sights.flatMap(missingIn),
}

function missingIn({ tools }: Sight): readonly Finding[] {
  const takers = takersIn(tools)
  return tools.flatMap((scene): readonly Finding[] => {
    const taker = takers.get(thingListed(scene) ?? '')?.find(({ tool }) => tool !== scene.tool)
    if (taker === undefined) return []
    const unnamed = listedObjects(scene).some(({ fields }) => !fields.some(({ name }) => identifies(name)))
    if (!unnamed) return []
    const message = `The entries that \`${scene.tool.id}\` lists have no id, but \`${taker.tool.id}\` takes \`${taker.field}\`.`
    return [{ about: aboutTool(scene, 'result'), message }]
  })
}

interface Taker {
  readonly tool: ToolIr
  readonly field: string
}

/** The tools that require an id, by what it names. */
function takersIn(tools: readonly SeenTool[]): ReadonlyMap<string, readonly Taker[]> {
  const takers = new Map<string, Taker[]>()
  for (const scene of tools) {
    for (const field of scene.fields) {
      const thing = field.required ? thingOf(field, scene) : undefined
      if (thing === undefined || thing === '') continue
      takers.set(thing, [...(takers.get(thing) ?? []), { tool: scene.tool, field: field.path }])
    }
  }
  return takers
}

const otherKeys: ReadonlySet<string> = new Set(
  'key code number no ref reference sku slug url uri path name login'.split(' '),
)

function identifies(name: string): boolean {
  return speaksOfIds(name) || wordsOf(name).some((word) => otherKeys.has(word))
}

/** Ids that a model must send and has nowhere to take from. */
export const unplumbedId: Rule = {
  id: 'unplumbed-id',
  code: 'TG8307',
  next: 'Let a tool of the same agent answer the id, or say in the description where people find it.',
  examples: {
    bad: `getInvoice: defineTool({
  description: 'One invoice with its items and the date on which it is due.',
  payload: z.object({ invoiceId: z.string().describe('The id of the invoice') }),
  result: z.object({ total: z.number() }),
})`,
    good: `findInvoices: defineTool({
  description: 'The last invoices of a customer.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ invoices: z.array(z.object({ invoiceId: z.string(), total: z.number() })).max(20) }),
}),
getInvoice: defineTool({
  description: 'One invoice with its items and the date on which it is due.',
  payload: z.object({ invoiceId: z.string().describe('The id of the invoice') }),
  result: z.object({ total: z.number() }),
})`,
  },
  check: ({ sights }) =>
    sights.flatMap(unplumbedIn).map(({ scene, field }) => ({
      about: aboutField(scene, field),
      message: `No tool that a model sees beside \`${scene.tool.id}\` answers its \`${field.path}\`, and nothing says where the id comes from.`,
    })),
}

/** The fields of which the rule speaks. */
export function unplumbedFields(sights: readonly Sight[]): ReadonlySet<Field> {
  return new Set(sights.flatMap(unplumbedIn).map(({ field }) => field))
}

function unplumbedIn({ tools }: Sight): readonly { readonly scene: ToolScene; readonly field: Field }[] {
  const given = tools.map(givenIds)
  return tools.flatMap((scene) =>
    scene.fields
      .filter((field) => {
        const thing = field.required && isUnexplained(field, scene) ? thingOf(field, scene) : undefined
        if (thing === undefined || thing === '') return false
        return !given.some((ids) => ids.tool !== scene.tool && gives(ids, field.name, thing))
      })
      .map((field) => ({ scene, field })),
  )
}

/** Whether the description leaves open where the id is found. */
function isUnexplained({ name, description = '' }: Field, { tool }: ToolScene): boolean {
  return saysOnly(description, [name, tool.name, 'id identifier unique string'])
}
