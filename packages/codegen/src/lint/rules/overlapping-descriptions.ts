import { aboutTool, type Finding, type Rule } from '../scene/rule.js'
import type { SeenTool } from '../scene/scene.js'
import { meaningfulWords, singular, wordsOf } from '../scene/words.js'

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
        const message = `\`${other.tool.wireName}\` and \`${one.tool.wireName}\` are described in the same words.`
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
    return { tool, words, named: new Set(wordsOf(tool.wireName).map(singular)) }
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
