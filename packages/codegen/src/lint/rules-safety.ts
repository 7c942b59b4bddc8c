import { refName } from '../schema/json-pointer.js'
import { isObject, own, type Schema } from '../schema/json-schema.js'
import { eachSubschema } from '../schema/keywords.js'
import { patternTexts } from '../schema/patterns.js'
import { inTime } from '../timers.js'
import { aboutField, aboutTool, type Finding, graveVerb, listed, type Rule, type ToolScene } from './context.js'

/** Annotations that cannot both be true, or that the name denies. */
export const contradictoryAnnotations: Rule = {
  id: 'contradictory-annotations',
  code: 'TG8311',
  next: 'Take out what is not so: layers retry, cache and run calls at once by what is declared here.',
  examples: {
    bad: `deleteOrder: defineTool({
  description: 'Erases an order and its history.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
  readOnly: true,
})`,
    good: `deleteOrder: defineTool({
  description: 'Erases an order and its history.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
  destructive: true,
  confirmation: { prompt: 'Erase {{orderId}} for good?' },
})`,
  },
  check: ({ tools }) => tools.flatMap(contradictionOf),
}

function contradictionOf(scene: ToolScene): readonly Finding[] {
  const { tool } = scene
  if (tool.annotations.readOnly !== true) return []
  const verb = graveVerb(tool)
  const but =
    tool.annotations.destructive === true ? 'also that it destroys something' : verb && `its name says \`${verb}\``
  if (but === undefined) return []
  return [{ about: aboutTool(scene, 'readOnly'), message: `\`${tool.id}\` says that it changes nothing, but ${but}.` }]
}

/** Calls that cannot be taken back, and that a model makes alone. */
export const unconfirmedMutation: Rule = {
  id: 'unconfirmed-mutation',
  code: 'TG8310',
  next: "Add `confirmation: { prompt: '...' }`, or say that it destroys nothing with `destructive: false`.",
  examples: {
    bad: `deleteOrder: defineTool({
  description: 'Erases an order and its history.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
})`,
    good: `deleteOrder: defineTool({
  description: 'Erases an order and its history.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
  confirmation: { prompt: 'Erase {{orderId}} for good?' },
})`,
  },
  check: ({ tools }) =>
    tools.flatMap((scene) => {
      const why = reasonOf(scene)
      if (why === undefined) return []
      return [
        { about: aboutTool(scene), message: `\`${scene.tool.id}\` ${why}, and no person is asked before it runs.` },
      ]
    }),
}

function reasonOf({ tool }: ToolScene): string | undefined {
  const { readOnly, destructive } = tool.annotations
  if (tool.confirmation !== undefined || readOnly === true || destructive === false) return undefined
  if (destructive === true) return 'says that it destroys something'
  const verb = graveVerb(tool)
  return verb === undefined ? undefined : `seems to do what cannot be taken back (\`${verb}\`)`
}

/** Patterns that keep a backtracking engine busy for very long on a short text. */
export const slowPattern: Rule = {
  id: 'slow-pattern',
  code: 'TG8322',
  next: 'Write the pattern so that there is one way to match each part of a text: `a+` instead of `(a+)+`.',
  examples: {
    bad: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ label: z.string().regex(/^([a-z]+-?)+$/).describe('What the customer calls them') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
    good: `findOrders: defineTool({
  description: 'Orders of one customer, newest first.',
  payload: z.object({ label: z.string().regex(/^[a-z]+(-[a-z]+)*-?$/).describe('What the customer calls them') }),
  result: z.object({ orders: z.array(z.object({ orderId: z.string() })).max(20) }),
})`,
  },
  check: ({ tools }) => {
    const known = new Map<string, string | undefined>()
    const slow = (pattern: string): string | undefined => {
      if (!known.has(pattern)) known.set(pattern, slowText(pattern))
      return known.get(pattern)
    }
    return tools.flatMap((scene) => [...findings(scene, 'arguments', slow), ...findings(scene, 'result', slow)])
  },
}

function findings(
  scene: ToolScene,
  side: 'arguments' | 'result',
  slow: (pattern: string) => string | undefined,
): readonly Finding[] {
  const { tool, toolset } = scene
  const found = patternsOf(tool[side], toolset.defs).filter(({ pattern }) => slow(pattern) !== undefined)
  const [first] = found
  if (first === undefined) return []
  const patterns = [...new Set(found.map(({ pattern }) => pattern))]
  const field = scene.fields.find(({ names }) => names.join('\0') === first.names.join('\0'))
  const where = side === 'result' ? `The result of \`${tool.id}\`` : `\`${tool.id}\``
  return [
    {
      about:
        side === 'arguments' && field !== undefined
          ? aboutField(scene, field)
          : aboutTool(scene, side === 'result' ? 'result' : 'payload'),
      message: `${where} has ${patterns.length === 1 ? 'a pattern' : 'patterns'} that ${patterns.length === 1 ? 'is' : 'are'} slow in other validators: ${listed(patterns)}.`,
      facts: patterns.map(
        (pattern) =>
          `\`${pattern}\` takes a backtracking engine more than half a second to refuse ${JSON.stringify(slow(pattern))}.`,
      ),
    },
  ]
}

/** A pattern of a schema, and the names of the fields that lead to it. */
interface PlacedPattern {
  readonly pattern: string
  readonly names: readonly string[]
}

/** Every pattern of a schema and of what it refers to, for texts and for the names of fields; definitions once. */
function patternsOf(root: Schema, defs: Readonly<Record<string, Schema>>): readonly PlacedPattern[] {
  const found: PlacedPattern[] = []
  const met = new Set<string>()
  const walk = (schema: Schema, names: readonly string[]): void => {
    if (!isObject(schema)) return
    const [pattern, keyed] = [own(schema, 'pattern'), own(schema, 'patternProperties')]
    if (typeof pattern === 'string') found.push({ pattern, names })
    for (const key of isObject(keyed) ? Object.keys(keyed) : []) found.push({ pattern: key, names })
    eachSubschema(schema, (inner, [keyword, key]) =>
      walk(inner, keyword === 'properties' && key !== undefined ? [...names, key] : names),
    )
    const name = refName(own(schema, '$ref'))
    if (name === undefined || met.has(name)) return
    met.add(name)
    walk(own(defs, name) ?? true, names)
  }
  walk(root, [])
  return found
}

/** How often a part is repeated: what doubles with each of them, or almost, then has no end that anybody waits for. */
const repeats = 50
/** Of a text that a pattern takes, so many characters are repeated one after the other, alone and with their neighbours. */
const furthest = 24
const longestPart = 4
/** How many characters are tried as what a pattern does not take at the end. */
const mostEndings = 14

/**
 * A short text that a pattern takes more than half a second to refuse; `undefined` where none was found. Texts that the
 * pattern takes are pulled apart, and their parts repeated, so that whatever is found is slow indeed. What is not found
 * may be slow all the same: for texts that are much longer, or that nobody guesses.
 */
export function slowText(pattern: string): string | undefined {
  // What repeats one thing alone has one way to do so.
  if ((pattern.match(/[*+?{|]/g) ?? []).length <= 1) return undefined
  const expression = compiled(pattern)
  const texts = expression === undefined ? [] : attacks(pattern)
  let index = 0
  while (index < texts.length) {
    const isDone = inTime(() => {
      for (; index < texts.length; index += 1) expression?.test(texts[index] ?? '')
    }).isDone
    const text = texts[index]
    if (isDone || text === undefined) return undefined
    // The time may have been that of many texts together.
    if (!inTime(() => expression?.test(text)).isDone) return text
    index += 1
  }
  return undefined
}

function attacks(pattern: string): readonly string[] {
  const endings = [...new Set(['\0', ...pattern])].slice(0, mostEndings)
  const found = new Set<string>()
  for (const text of new Set([...patternTexts(pattern), 'a', '0'])) {
    for (let start = 0; start < Math.min(text.length, furthest); start += 1) {
      for (let end = start + 1; end <= Math.min(text.length, start + longestPart); end += 1) {
        const repeated = text.slice(0, start) + text.slice(start, end).repeat(repeats)
        for (const ending of endings) found.add(repeated + ending)
      }
    }
  }
  return [...found]
}

/** As codecs read it: by Unicode rules, or without where it is legal only so. */
function compiled(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // There is no other way to ask whether a pattern is well-formed.
    }
  }
  return undefined
}
