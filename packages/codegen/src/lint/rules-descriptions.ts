import type { Shape } from '../schema/shape.js'
import {
  aboutField,
  aboutTool,
  type Field,
  type Finding,
  meaningfulWords,
  plainShape,
  type Rule,
  type SeenTool,
  type Sight,
  saysOnly,
  singular,
  speaksOfPages,
  type ToolScene,
  toolsWith,
  wordsOf,
} from './context.js'
import { isAmbiguous, isTrap } from './rules-names.js'
import { unplumbedFields } from './rules-payloads.js'

/** Fields about which a model knows the name alone. */
export const missingDescription: Rule = {
  id: 'missing-description',
  code: 'TG8301',
  next: 'Say of each field what it holds and where the value comes from, e.g. with `.describe(...)`.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ customer: z.string(), shelf: z.string() }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({
    customer: z.string().describe('E-mail address of the customer'),
    status: z.enum(['open', 'shipped']),
  }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
  },
  check: ({ tools, sights }) => {
    const unplumbed = unplumbedFields(sights)
    return toolsWith(tools, (field) => isBare(field) && !unplumbed.has(field)).map(({ scene, first, names, many }) => ({
      about: aboutField(scene, first),
      message: `${names} of \`${scene.tool.id}\` ${many ? 'have' : 'has'} no description.`,
    }))
  },
}

/** What the name and the type say, and what a more exact rule says, is not asked for. */
function isBare(field: Field): boolean {
  const { description = '', shape } = field
  if (description.trim() !== '' || isAmbiguous(field) || isTrap(field) || isCoded(field)) return false
  return !isChoice(shape) && !isContainer(shape) && !(shape.kind === 'number' && speaksOfPages(field.name))
}

/** Choices speak for themselves where they are words. */
function isChoice({ kind }: Shape): boolean {
  return kind === 'literals'
}

/** What is said of the fields inside says it of the object. */
function isContainer(shape: Shape): boolean {
  if (shape.kind === 'array') return isContainer(shape.items)
  return shape.kind === 'ref' || (shape.kind === 'object' && shape.fields.length > 0)
}

/** Descriptions of tools from which a model learns nothing. */
export const descriptionRepeatsName: Rule = {
  id: 'description-repeats-name',
  code: 'TG8302',
  next: 'Say what the tool does, when it is the right one, and what it answers.',
  examples: {
    bad: `getOrder: defineTool({
  description: 'Gets the order.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
    good: `getOrder: defineTool({
  description: 'One order with its line items and total; take it when the customer names an order number.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
  },
  check: ({ tools }) =>
    tools
      .filter(({ tool, toolset }) => saysOnly(tool.description, [tool.name, toolset.name]))
      .map((scene) => ({
        about: aboutTool(scene, 'description'),
        message: `The description of \`${scene.tool.id}\` says no more than its name.`,
      })),
}

/** In characters: what OpenAI once took at most for a function, and more than any tool of one task needs. */
const longest = 1_024

/** Descriptions of tools that cost every request dear. */
export const longDescription: Rule = {
  id: 'long-description',
  code: 'TG8303',
  next: 'Keep what tells the tool from others; move what is about one field to that field, and the rest to the instructions.',
  examples: {
    bad: `getOrder: defineTool({
  description: \`One order with its line items. \${'It is not for invoices, which are documents of their own. '.repeat(20)}\`,
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
    good: `getOrder: defineTool({
  description: 'One order with its line items. Not for invoices.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
})`,
  },
  check: ({ tools }) =>
    tools
      .filter(({ tool }) => tool.description.length > longest)
      .map((scene) => ({
        about: aboutTool(scene, 'description'),
        message: `The description of \`${scene.tool.id}\` has ${scene.tool.description.length} characters; every request carries them.`,
      })),
}

/** How deep objects may be nested before one wants to see one. */
const deepest = 3

/** Arguments that are hard to write, without one to look at. */
export const missingExample: Rule = {
  id: 'missing-example',
  code: 'TG8320',
  next: 'Add one to `examples`: it is checked against the payload, and models are shown it when they send what is wrong.',
  examples: {
    bad: `bookBack: defineTool({
  description: 'Gives money back.',
  payload: z.object({
    target: z.union([
      z.object({ iban: z.string().describe('Where the money goes') }),
      z.object({ card: z.string().describe('The last four digits') }),
    ]).describe('By which way'),
  }),
  result: z.object({ paid: z.boolean() }),
})`,
    good: `bookBack: defineTool({
  description: 'Gives money back.',
  payload: z.object({
    target: z.union([
      z.object({ iban: z.string().describe('Where the money goes') }),
      z.object({ card: z.string().describe('The last four digits') }),
    ]).describe('By which way'),
  }),
  result: z.object({ paid: z.boolean() }),
  examples: [{ target: { card: '4242' } }],
})`,
  },
  check: ({ tools }) =>
    tools.flatMap((scene) => {
      const why = scene.tool.examples.length > 0 ? undefined : hardness(scene)
      if (why === undefined) return []
      return [{ about: aboutTool(scene, 'payload'), message: `\`${scene.tool.id}\` ${why}, and has no example.` }]
    }),
}

function hardness({ fields, toolset: { defs } }: ToolScene): string | undefined {
  const union = fields.find(({ shape }) => {
    if (shape.kind !== 'union') return false
    return shape.variants.filter((variant) => plainShape(variant, defs).kind === 'object').length > 1
  })
  if (union !== undefined) return `takes one of several objects as \`${union.path}\``
  const deep = fields.find(({ names }) => names.length > deepest)
  return deep === undefined ? undefined : `nests objects as deep as \`${deep.path}\``
}

/** Fixed messages that were meant to be filled. */
export const textWithPlaceholder: Rule = {
  id: 'text-with-placeholder',
  code: 'TG8321',
  next: 'Write it as `template`, which is filled from the payload; `text` is sent as it stands.',
  examples: {
    bad: `export const research = defineToolset('research', {
  description: 'Answers that need several sources.',
  tools: {
    ask: defineTool({
      description: 'Looks for an answer in several places.',
      payload: z.object({ question: z.string().describe('A whole question') }),
      result: z.object({ answer: z.string() }),
    }),
  },
})
export const researcher = defineAgent('researcher', {
  description: 'Finds things out.',
  exports: [exportToolset(research, { tools: { ask: { text: 'Find out: {{question}}' } } })],
})`,
    good: `export const research = defineToolset('research', {
  description: 'Answers that need several sources.',
  tools: {
    ask: defineTool({
      description: 'Looks for an answer in several places.',
      payload: z.object({ question: z.string().describe('A whole question') }),
      result: z.object({ answer: z.string() }),
    }),
  },
})
export const researcher = defineAgent('researcher', {
  description: 'Finds things out.',
  exports: [exportToolset(research, { tools: { ask: { template: 'Find out: {{question}}' } } })],
})`,
  },
  check: ({ design }) =>
    design.agents.flatMap(({ name, exports }) =>
      exports.flatMap(({ toolset, tools }, index) =>
        tools.flatMap(({ tool, text }) => {
          const placeholder = /\{\{[^{}]*\}\}/.exec(text ?? '')?.[0]
          if (placeholder === undefined) return []
          const path = ['exports', index, 'tools', tool, 'text']
          const message = `The message for \`${toolset}.${tool}\` has \`${placeholder}\`, which the model reads as it stands.`
          return [{ about: { kind: 'agent' as const, agent: name, path }, message }]
        }),
      ),
    ),
}

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

/** Choices that are codes. */
export const undescribedEnum: Rule = {
  id: 'undescribed-enum',
  code: 'TG8318',
  next: 'Take words for the choices, or say in the description what each one stands for.',
  examples: {
    bad: `setPriority: defineTool({
  description: 'Changes how soon an order is packed.',
  payload: z.object({ lane: z.enum(['A', 'B', 'C']) }),
  result: z.object({ changed: z.boolean() }),
})`,
    good: `setPriority: defineTool({
  description: 'Changes how soon an order is packed.',
  payload: z.object({ lane: z.enum(['A', 'B', 'C']).describe('A today, B tomorrow, C this week') }),
  result: z.object({ changed: z.boolean() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(tools, isCoded).map(({ scene, first, names }) => ({
      about: aboutField(scene, first),
      message: `The choices of ${names} of \`${scene.tool.id}\` are codes of which nothing says what they mean.`,
    })),
}

/** Whether the values of a field are single characters or numbers, and nothing is said of the field. */
function isCoded({ description = '', shape }: Field): boolean {
  if (shape.kind !== 'literals' || shape.values.length < 2 || description.trim() !== '') return false
  return shape.values.some(
    (value) => typeof value === 'number' || (typeof value === 'string' && /^.$|^\d+$/u.test(value)),
  )
}

/** How much of two descriptions is the same, from which on a model cannot tell the tools apart by them. */
const alike = 0.8

/** Tools of one model that are described in the same words. */
export const overlappingDescriptions: Rule = {
  id: 'overlapping-descriptions',
  code: 'TG8305',
  next: 'Say in each of them what the other one is for, or make one tool of the two.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Search the orders of a customer.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
}),
lookUpOrders: defineTool({
  description: 'Search orders of the customer.',
  payload: z.object({ phone: z.string().describe('Phone number of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
    good: `findOrders: defineTool({
  description: 'Search the orders of a customer by e-mail address; take this one where both are known.',
  payload: z.object({ email: z.string().describe('E-mail address of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
}),
lookUpOrders: defineTool({
  description: 'The orders that were placed by phone, when nothing but the number is known.',
  payload: z.object({ phone: z.string().describe('Phone number of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
  },
  check: ({ sights }) =>
    sights.flatMap(({ tools }) => {
      const read = readTools(tools)
      return read.flatMap((one, index): readonly Finding[] => {
        // The first of many is enough: each of them is then named once.
        const other = read.slice(0, index).find((earlier) => areAlike(one, earlier))
        if (other === undefined) return []
        const message = `\`${other.tool.toolName}\` and \`${one.tool.toolName}\` are described in the same words.`
        return [{ about: aboutTool(one.tool, 'description'), message }]
      })
    }),
}

type Words = ReadonlySet<string>

interface ReadTool {
  readonly tool: SeenTool
  /** Of the sentences that are the tool's own: others are the same for many tools of a server. */
  readonly words: Words
  readonly named: Words
}

/** In so many descriptions a sentence is about the server, and not about the tool. */
const shared = 3

function readTools(tools: readonly SeenTool[]): readonly ReadTool[] {
  const split = tools.map((tool) => ({ tool, sentences: tool.tool.description.split(/\.\s+|\n+/) }))
  const uses = new Map<string, number>()
  for (const { sentences } of split) {
    for (const sentence of new Set(sentences)) uses.set(sentence, (uses.get(sentence) ?? 0) + 1)
  }
  return split.map(({ tool, sentences }) => {
    const own = sentences.filter((sentence) => (uses.get(sentence) ?? 0) < shared)
    const words = new Set(meaningfulWords((own.length === 0 ? sentences : own).join(' ')))
    return { tool, words, named: new Set(wordsOf(tool.toolName).map(singular)) }
  })
}

function areAlike(one: ReadTool, other: ReadTool): boolean {
  return likeness(one.words, other.words) >= alike && !tellApart(one, other)
}

/** From 0, nothing in common, to 1, the same words. */
function likeness(one: Words, other: Words): number {
  const [small, large] = one.size < other.size ? [one, other] : [other, one]
  // Most pairs differ in length alone already.
  if (small.size < alike * large.size || small.size === 0) return 0
  const common = [...small].filter((word) => large.has(word)).length
  return common / (small.size + large.size - common)
}

/**
 * Whether they differ in what they do, or in what their names say: `Start the timer` and `Stop the timer` overlap, and yet are
 * clear.
 */
function tellApart(one: ReadTool, other: ReadTool): boolean {
  const [verb] = one.words
  const [otherVerb] = other.words
  if (verb !== otherVerb) return true
  const differing = [
    ...[...one.words].filter((word) => !other.words.has(word)),
    ...[...other.words].filter((word) => !one.words.has(word)),
  ]
  // `From litres to gallons` and `from gallons to litres` have the same words.
  if (differing.length === 0) return [...one.words].join(' ') !== [...other.words].join(' ')
  return differing.some((word) => one.named.has(word) || other.named.has(word))
}

/** Tools of one model whose names differ in what models mix up. */
export const overlappingNames: Rule = {
  id: 'overlapping-names',
  code: 'TG8306',
  next: 'Give one of them a name that says how it differs, e.g. with `toolName`.',
  examples: {
    bad: `getOrder: defineTool({
  description: 'One order with its line items.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
}),
get_order: defineTool({
  description: 'What the warehouse knows of a shipment.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ shelf: z.string() }),
  toolName: 'orders_get_order',
})`,
    good: `getOrder: defineTool({
  description: 'One order with its line items.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ total: z.number() }),
}),
trackShipment: defineTool({
  description: 'What the warehouse knows of a shipment.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ shelf: z.string() }),
})`,
  },
  check: ({ sights }) => sights.flatMap(overlapsIn),
}

function overlapsIn({ tools }: Sight): readonly Finding[] {
  const byWords = new Map<string, SeenTool>()
  return tools.flatMap((tool): readonly Finding[] => {
    const key = keyOf(tool.toolName)
    const other = byWords.get(key)
    if (other === undefined) {
      byWords.set(key, tool)
      return []
    }
    const message = `\`${other.toolName}\` and \`${tool.toolName}\` are the same name but for its form.`
    return [{ about: aboutTool(tool), message }]
  })
}

/** The words of a name in any order, but for `celsius_to_fahrenheit`, where the order is what matters. */
function keyOf(name: string): string {
  const words = wordsOf(name).map(singular)
  const isDirected = words.some((word) => ['to', 'from', 'by', 'of', 'in', '2'].includes(word))
  return (isDirected ? words : [...words].sort()).join(' ')
}
