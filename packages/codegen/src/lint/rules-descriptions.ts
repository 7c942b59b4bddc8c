import type { Shape } from '../schema/shape.js'
import {
  type Field,
  fieldSubject,
  type LintDiagnostic,
  type ListedTool,
  type Rule,
  reportFields,
  reportTools,
  type ToolList,
  toolSubject,
} from './context.js'
import { examplePair, findOrders, getOrder } from './examples.js'
import { isPageField, unplumbedIn } from './rules-ids.js'
import { isAmbiguous, isUnclearFlag } from './rules-names.js'
import { meaningfulWords, saysOnly, singularWordsOf } from './words.js'

/** Limit in characters: OpenAI's former limit for a function. */
const maxLength = 1_024

const lookUpOrders = (description: string): string => `lookUpOrders: defineTool({
  description: '${description}',
  payload: z.object({ phone: z.string().describe('Phone number of the customer') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`

const trackShipment = `trackShipment: defineTool({
  description: 'What the warehouse knows of a shipment.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ shelf: z.string() }),
`

/** Rules for the names and descriptions by which a model chooses tools and values. */
export const descriptionRules: readonly Rule[] = [
  {
    id: 'missing-description',
    code: 'TG8301',
    next: 'Say of each field what it holds and where the value comes from, e.g. with `.describe(...)`.',
    examples: examplePair(
      findOrders({ payload: '{…}' }),
      ' customer: z.string(), shelf: z.string() ',
      `
    customer: z.string().describe('E-mail address of the customer'),
    status: z.enum(['open', 'shipped']),
  `,
    ),
    check: ({ tools, toolLists }) => {
      const unplumbed = new Set(toolLists.flatMap(unplumbedIn).map(({ field }) => field))
      return reportFields(
        tools,
        (field) => needsDescription(field) && !unplumbed.has(field),
        (names, id, many) => `${names} of ${id} ${many ? 'have' : 'has'} no description.`,
      )
    },
  },
  {
    id: 'description-repeats-name',
    code: 'TG8302',
    next: 'Say what the tool does, when it is the right one, and what it answers.',
    examples: examplePair(
      getOrder('…'),
      "'Gets the order.'",
      "'One order with its line items and total; take it when the customer names an order number.'",
    ),
    check: ({ tools }) =>
      reportTools(tools, ['description'], ({ tool, toolset }) =>
        saysOnly(tool.description, [tool.name, toolset.name])
          ? `The description of \`${tool.id}\` says no more than its name.`
          : undefined,
      ),
  },
  {
    id: 'long-description',
    code: 'TG8303',
    next: 'Keep what tells the tool from others; move what is about one field to that field, and the rest to the instructions.',
    examples: examplePair(
      getOrder('…'),
      "`One order with its line items. ${'It is not for invoices, which are documents of their own. '.repeat(20)}`",
      "'One order with its line items. Not for invoices.'",
    ),
    check: ({ tools }) =>
      reportTools(tools, ['description'], ({ tool: { id, description } }) =>
        description.length > maxLength
          ? `The description of \`${id}\` has ${description.length} characters; every request carries them.`
          : undefined,
      ),
  },
  {
    id: 'unfinished-text',
    code: 'TG8304',
    next: 'Write the text, or take the note out of what models read.',
    examples: examplePair(
      `cancelOrder: defineTool({
  description: 'Cancels an order that has not left the warehouse. …',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ cancelled: z.boolean() }),
  confirmation: { prompt: 'Cancel {{orderId}}?' },
})`,
      'TODO: what about refunds?',
      'What was paid goes back within two days.',
    ),
    check: ({ tools }) =>
      tools.flatMap((lintTool) => {
        const { tool, fields } = lintTool
        const texts = [
          { subject: toolSubject(lintTool, 'description'), name: `\`${tool.id}\``, text: tool.description },
          ...fields.map((field) => ({
            subject: fieldSubject(lintTool, field),
            name: `\`${field.label}\` of \`${tool.id}\``,
            text: field.description ?? '',
          })),
        ]
        return texts.flatMap(({ subject, name, text }) => {
          const note = /\b(?:TODO|FIXME|TBD)\b(?!['’`"])|\blorem ipsum\b/.exec(text)?.[0]
          if (note === undefined) return []
          return [{ subject, message: `The description of ${name} is unfinished: it has \`${note}\`.` }]
        })
      }),
  },
  {
    id: 'overlapping-descriptions',
    code: 'TG8305',
    next: 'Say in each of them what the other one is for, or make one tool of the two.',
    examples: {
      bad: `${findOrders({ description: 'Search the orders of a customer.' })},
${lookUpOrders('Search orders of the customer.')}`,
      good: `${findOrders({ description: 'Search the orders of a customer by e-mail address; take this one where both are known.' })},
${lookUpOrders('The orders that were placed by phone, when nothing but the number is known.')}`,
    },
    check: ({ toolLists }) => toolLists.flatMap(overlappingDescriptions),
  },
  {
    id: 'overlapping-names',
    code: 'TG8306',
    next: 'Give one of them a name that says how it differs, e.g. with `toolName`.',
    examples: examplePair(
      `${getOrder("'One order with its line items.'")},
…
})`,
      `${trackShipment.replace('trackShipment', 'get_order')}  toolName: 'orders_get_order',`,
      trackShipment.trimEnd(),
    ),
    check: ({ toolLists }) =>
      toolLists.flatMap(({ tools }) => {
        const first = new Map<string, string>()
        return reportTools(tools, [], ({ toolName }) => {
          const key = nameKey(toolName)
          const other = first.get(key)
          if (other !== undefined) return `\`${other}\` and \`${toolName}\` are the same name but for its form.`
          first.set(key, toolName)
          return undefined
        })
      }),
  },
  {
    id: 'undescribed-enum',
    code: 'TG8318',
    next: 'Take words for the choices, or say in the description what each one stands for.',
    examples: examplePair(
      `setPriority: defineTool({
  description: 'Changes how soon an order is packed.',
  payload: z.object({ lane: z.enum(['A', 'B', 'C'])… }),
  result: z.object({ changed: z.boolean() }),
})`,
      '',
      ".describe('A today, B tomorrow, C this week')",
    ),
    check: ({ tools }) =>
      reportFields(
        tools,
        isUndescribedCode,
        (names, id) => `The choices of ${names} of ${id} are codes of which nothing says what they mean.`,
      ),
  },
  {
    id: 'text-with-placeholder',
    code: 'TG8321',
    next: 'Write it as `template`, which is filled from the payload; `text` is sent as it stands.',
    examples: examplePair(
      `export const research = defineToolset('research', {
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
  exports: [exportToolset(research, { tools: { ask: { …: 'Find out: {{question}}' } } })],
})`,
      'text',
      'template',
    ),
    check: ({ design }) =>
      design.agents.flatMap(({ name, exports }) =>
        exports.flatMap(({ toolset, tools }, index) =>
          tools.flatMap(({ tool, text = '' }): readonly LintDiagnostic[] => {
            const placeholder = /\{\{[^{}]*\}\}/.exec(text)?.[0]
            if (placeholder === undefined) return []
            const path = ['exports', index, 'tools', tool, 'text']
            const message = `The message for \`${toolset}.${tool}\` has \`${placeholder}\`, which the model reads as it stands.`
            return [{ subject: { kind: 'agent', agent: name, path }, message }]
          }),
        ),
      ),
  },
]

/** Returns `true` for a field that needs a description, unless name, type or a more specific rule explain it. */
function needsDescription(field: Field): boolean {
  const { description = '', name, shape } = field
  if (description.trim() !== '' || isAmbiguous(field) || isUnclearFlag(field) || isUndescribedCode(field)) return false
  return shape.kind !== 'literals' && !hasFields(shape) && !(shape.kind === 'number' && isPageField(name))
}

/** The descriptions of its fields describe an object. */
function hasFields(shape: Shape): boolean {
  if (shape.kind === 'array') return hasFields(shape.items)
  return shape.kind === 'ref' || (shape.kind === 'object' && shape.fields.length > 0)
}

/** Returns `true` for an enum of single characters or numbers without a description. */
function isUndescribedCode({ description = '', shape }: Field): boolean {
  if (shape.kind !== 'literals' || shape.values.length < 2 || description.trim() !== '') return false
  return shape.values.some(
    (value) => typeof value === 'number' || (typeof value === 'string' && /^.$|^\d+$/u.test(value)),
  )
}

/** Returns the words of a name in any order, except for names such as `celsius_to_fahrenheit`, where the order matters. */
function nameKey(name: string): string {
  const words = singularWordsOf(name)
  const isDirected = words.some((word) => ['to', 'from', 'by', 'of', 'in', '2'].includes(word))
  return (isDirected ? words : [...words].sort()).join(' ')
}

/** Similarity from which a model cannot distinguish two descriptions. */
const minSimilarity = 0.8

/** Number of descriptions in which a sentence is about the server instead of the tool. */
const sharedCount = 3

interface ToolWords {
  readonly tool: ListedTool
  /** Words of the sentences that only this tool has. */
  readonly words: ReadonlySet<string>
  readonly nameWords: ReadonlySet<string>
}

function overlappingDescriptions({ tools }: ToolList): readonly LintDiagnostic[] {
  const split = tools.map((tool) => ({ tool, sentences: tool.tool.description.split(/\.\s+|\n+/) }))
  const uses = new Map<string, number>()
  for (const { sentences } of split) {
    for (const sentence of new Set(sentences)) uses.set(sentence, (uses.get(sentence) ?? 0) + 1)
  }
  const all = split.map(({ tool, sentences }): ToolWords => {
    const own = sentences.filter((sentence) => (uses.get(sentence) ?? 0) < sharedCount)
    const words = new Set(meaningfulWords((own.length === 0 ? sentences : own).join(' ')))
    return { tool, words, nameWords: new Set(singularWordsOf(tool.toolName)) }
  })
  return all.flatMap((one, index) => {
    // The first similar tool is enough: each tool is named once.
    const other = all.slice(0, index).find((earlier) => isSimilar(one, earlier))
    if (other === undefined) return []
    const message = `\`${other.tool.toolName}\` and \`${one.tool.toolName}\` are described in the same words.`
    return [{ subject: toolSubject(one.tool, 'description'), message }]
  })
}

function isSimilar(one: ToolWords, other: ToolWords): boolean {
  const [small, large] = one.words.size < other.words.size ? [one.words, other.words] : [other.words, one.words]
  // Most pairs already differ in length.
  if (small.size < minSimilarity * large.size || small.size === 0) return false
  const common = [...small].filter((word) => large.has(word)).length
  if (common / (small.size + large.size - common) < minSimilarity) return false
  const [verb] = one.words
  const [otherVerb] = other.words
  if (verb !== otherVerb) return false
  const differing = [...one.words, ...other.words].filter((word) => !one.words.has(word) || !other.words.has(word))
  // `From litres to gallons` and `from gallons to litres` have the same words.
  if (differing.length === 0) return [...one.words].join(' ') === [...other.words].join(' ')
  // `Start the timer` and `Stop the timer` are clear because the names differ too.
  return !differing.some((word) => one.nameWords.has(word) || other.nameWords.has(word))
}
