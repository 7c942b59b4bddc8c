import { own } from '../schema/json-schema.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import {
  type Field,
  fieldSubject,
  type LintTool,
  plainShape,
  type Rule,
  reportTools,
  type ToolList,
} from './context.js'
import { examplePair, findOrders, getOrder } from './examples.js'
import { saysOnly, singular, singularWordsOf, wordSet, wordsOf } from './words.js'

const getInvoice = `getInvoice: defineTool({
  description: 'One invoice with its items and the date on which it is due.',
  payload: z.object({ invoiceId: z.string().describe('The id of the invoice') }),
  result: z.object({ total: z.number() }),
})`

const email = "email: z.string().describe('E-mail address of the customer')"
const order = getOrder("'One order with its line items.'")

/** Rules for ids, and for the lists from which models take them. */
export const idRules: readonly Rule[] = [
  {
    id: 'unplumbed-id',
    code: 'TG8307',
    next: 'Let a tool of the same agent answer the id, or say in the description where people find it.',
    examples: {
      bad: getInvoice,
      good: `findInvoices: defineTool({
  description: 'The last invoices of a customer.',
  payload: z.object({ ${email} }),
  result: z.object({ invoices: z.array(z.object({ invoiceId: z.string(), total: z.number() })).max(20) }),
}),
${getInvoice}`,
    },
    check: ({ toolLists }) =>
      toolLists.flatMap(unplumbedIn).map(({ tool, field }) => ({
        subject: fieldSubject(tool, field),
        message: `No tool that a model sees beside \`${tool.tool.id}\` answers its \`${field.label}\`, and nothing says where the id comes from.`,
      })),
  },
  {
    id: 'id-missing-in-result',
    code: 'TG8308',
    next: 'Let every entry of the list carry the id.',
    examples: {
      bad: `${findOrders({ orders: 'z.array(z.object({ total: z.number() })).max(20)' })},\n${order}`,
      good: `${findOrders({ orders: 'z.array(z.object({ orderId: z.string(), total: z.number() })).max(20)' })},\n${order}`,
    },
    check: ({ toolLists }) =>
      toolLists.flatMap(({ tools }) => {
        const takers = tools.flatMap((tool) =>
          tool.fields
            .filter(({ required }) => required)
            .map((field) => ({ tool: tool.tool, label: field.label, thing: idThing(field, tool) }))
            .filter(({ thing }) => thing !== undefined),
        )
        return reportTools(tools, ['result'], (list) => {
          const thing = listedThing(list)
          const taker = thing && takers.find((each) => each.thing === thing && each.tool !== list.tool)
          if (!taker) return undefined
          const lacksId = listsOf(list).some(({ items }) => {
            const entry = plainShape(items, list.toolset.defs)
            return entry.kind === 'object' && entry.fields.length > 0 && !entry.fields.some(({ name }) => isKey(name))
          })
          return lacksId
            ? `The entries that \`${list.tool.id}\` lists have no id, but \`${taker.tool.id}\` takes \`${taker.label}\`.`
            : undefined
        })
      }),
  },
  {
    id: 'unbounded-list',
    code: 'TG8309',
    next: 'Give the list a `maxItems` (`.max(50)`), or let the model ask for pages: a `limit` with a `cursor`.',
    examples: examplePair(
      findOrders({ payload: '{…}', orders: 'z.array(z.object({ orderId: z.string() }))' }),
      ` ${email} `,
      `
    ${email},
    limit: z.number().int().max(50).default(10).describe('How many at most'),
  `,
    ),
    check: ({ tools }) =>
      reportTools(tools, ['result'], (tool) => {
        const isLong = listsOf(tool).some(
          ({ schema, items }) => own(schema, 'maxItems') === undefined && !smallKinds.includes(items.kind),
        )
        return isLong && !tool.fields.some(({ name }) => isPageField(name))
          ? `\`${tool.tool.id}\` answers a list of any length, and the model cannot ask for less.`
          : undefined
      }),
  },
]

const otherKeys: ReadonlySet<string> = wordSet('key code number no ref reference sku slug url uri path name login')

function isKey(name: string): boolean {
  return wordsOf(name).some((word) => idWords.has(word) || otherKeys.has(word))
}

/** Kinds of items that seldom fill a context. */
const smallKinds: readonly Shape['kind'][] = ['string', 'number', 'boolean', 'literals', 'null']

const pageWords: ReadonlySet<string> = wordSet(
  'limit max maximum page pages cursor offset count top first last take per start skip',
)

/** Returns `true` for names of fields that request a part of a list. */
export function isPageField(name: string): boolean {
  return wordsOf(name).some((word) => pageWords.has(word))
}

/** Returns the arrays with which a listing tool answers: the result itself, or direct fields of it. */
function listsOf(tool: LintTool): readonly Extract<Shape, { kind: 'array' }>[] {
  if (listedThing(tool) === undefined) return []
  const { defs } = tool.toolset
  const result = plainShape(shapeOf(tool.tool.result, defs), defs)
  const shapes = result.kind === 'object' ? result.fields.map(({ shape }) => plainShape(shape, defs)) : [result]
  return shapes.filter((shape) => shape.kind === 'array')
}

const listingVerbs: ReadonlySet<string> = wordSet('list search find query browse')
const prepositions: ReadonlySet<string> = wordSet('for of in on by with from to at')

/** Returns the thing that a tool lists by its name: `order` for `listOrdersOfCustomer`. */
function listedThing({ tool }: LintTool): string | undefined {
  const words = wordsOf(tool.name)
  const verb = words.findIndex((word) => listingVerbs.has(word))
  if (verb === -1) return undefined
  const end = words.findIndex((word, index) => index > verb && prepositions.has(word))
  const last = words.slice(verb + 1, end === -1 ? undefined : end).at(-1)
  return last === undefined ? undefined : singular(last)
}

const idWords: ReadonlySet<string> = wordSet('id ids uuid guid identifier')

/** Returns the thing that an id names: `order` for `orderId` and `order_id`, `''` for `id`, `undefined` for other names. */
function namedThing(name: string): string | undefined {
  const words = wordsOf(name)
  return idWords.has(words.at(-1) ?? '') ? words.slice(0, -1).map(singular).join(' ') : undefined
}

/** Returns the thing that a field identifies: `order` for `orderId`, and for the `id` of `getOrder`. */
function idThing({ name, shape }: Field, { tool }: LintTool): string | undefined {
  if (shape.kind !== 'string' && shape.kind !== 'number') return undefined
  const thing = namedThing(name)
  return thing === '' ? singularWordsOf(tool.name).slice(1).join(' ') || undefined : thing
}

/** Returns the required ids that no other tool of a list gives, and whose descriptions do not say where to find them. */
export function unplumbedIn({ tools }: ToolList): readonly { readonly tool: LintTool; readonly field: Field }[] {
  const givers = tools.map((tool) => ({ tool: tool.tool, gives: idGiver(tool) }))
  return tools.flatMap((tool) =>
    tool.fields
      .filter((field) => {
        const { name, required, description = '' } = field
        if (!required || !saysOnly(description, [name, tool.tool.name, 'id identifier unique string'])) return false
        const thing = idThing(field, tool)
        return thing !== undefined && !givers.some((giver) => giver.tool !== tool.tool && giver.gives(name, thing))
      })
      .map((field) => ({ tool, field })),
  )
}

/** Results can have thousands of names; few need to be divided into words. */
const mayNameId: RegExp = /(?:ids?|uuid|guid|identifier)$/i

/** Returns a function that decides whether the result of a tool holds an id. A result without a schema holds those of its tool's name. */
function idGiver({ tool, resultFields }: LintTool): (name: string, thing: string) => boolean {
  const ownWords = new Set(singularWordsOf(tool.name))
  const names = new Set(resultFields.map(({ name }) => name))
  const things = new Set<string>()
  const parentWords = new Set<string>()
  for (const { name, path } of resultFields) {
    const thing = mayNameId.test(name) ? namedThing(name) : undefined
    if (thing !== undefined) things.add(thing)
    if (thing !== '') continue
    for (const word of [...path.slice(0, -1).flatMap(singularWordsOf), ...ownWords]) parentWords.add(word)
  }
  return (name, thing) => {
    const words = thing.split(' ')
    const isOwn = words.some((word) => ownWords.has(word))
    if (resultFields.length === 0) return isOwn
    if (names.has(name) && (namedThing(name) !== '' || isOwn)) return true
    return things.has(thing) || words.some((word) => parentWords.has(word))
  }
}
