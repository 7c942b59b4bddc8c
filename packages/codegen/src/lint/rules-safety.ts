import { eachSubschema, patternExamples } from '@toolgen/runtime/schema'
import { isObject, own, type Schema } from '../schema/json-schema.js'
import { refName } from '../schema/references.js'
import { inTime } from '../timers.js'
import {
  fieldSubject,
  type LintDiagnostic,
  type LintTool,
  namesList,
  type Rule,
  reportTools,
  toolSubject,
} from './context.js'
import { examplePair, findOrders } from './examples.js'
import { wordSet, wordsOf } from './words.js'

const deleteOrder = `deleteOrder: defineTool({
  description: 'Erases an order and its history.',
  payload: z.object({ orderId: z.string().describe('Order number as printed on the invoice') }),
  result: z.object({ erased: z.boolean() }),
…})`

/** Rules for tools that change data, and for patterns. */
export const safetyRules: readonly Rule[] = [
  {
    id: 'unconfirmed-mutation',
    code: 'TG8310',
    next: "Add `confirmation: { prompt: '...' }`, or say that it destroys nothing with `destructive: false`.",
    examples: examplePair(deleteOrder, '', "  confirmation: { prompt: 'Erase {{orderId}} for good?' },\n"),
    check: ({ tools }) =>
      reportTools(tools, [], ({ tool }) => {
        const { readOnly, destructive } = tool.annotations
        if (tool.confirmation !== undefined || readOnly === true || destructive === false) return undefined
        const verb = irreversibleVerb(tool.name)
        if (destructive !== true && verb === undefined) return undefined
        const reason =
          destructive === true
            ? 'says that it destroys something'
            : `seems to do what cannot be taken back (\`${verb}\`)`
        return `\`${tool.id}\` ${reason}, and no person is asked before it runs.`
      }),
  },
  {
    id: 'contradictory-annotations',
    code: 'TG8311',
    next: 'Take out what is not so: layers retry, cache and run calls at once by what is declared here.',
    examples: examplePair(
      deleteOrder,
      '  readOnly: true,\n',
      "  destructive: true,\n  confirmation: { prompt: 'Erase {{orderId}} for good?' },\n",
    ),
    check: ({ tools }) =>
      reportTools(tools, ['readOnly'], ({ tool: { id, name, annotations } }) => {
        if (annotations.readOnly !== true) return undefined
        const verb = irreversibleVerb(name)
        const but =
          annotations.destructive === true ? 'also that it destroys something' : verb && `its name says \`${verb}\``
        return but && `\`${id}\` says that it changes nothing, but ${but}.`
      }),
  },
  {
    id: 'slow-pattern',
    code: 'TG8322',
    next: 'Write the pattern so that there is one way to match each part of a text: `a+` instead of `(a+)+`.',
    examples: examplePair(
      findOrders({ payload: "{ label: z.string().regex(/^…$/).describe('What the customer calls them') }" }),
      '([a-z]+-?)+',
      '[a-z]+(-[a-z]+)*-?',
    ),
    check: ({ tools }) => {
      const known = new Map<string, string | undefined>()
      const slowTextOf = (pattern: string): string | undefined => {
        if (!known.has(pattern)) known.set(pattern, slowText(pattern))
        return known.get(pattern)
      }
      return tools.flatMap((tool) => [
        ...slowPatterns(tool, 'arguments', slowTextOf),
        ...slowPatterns(tool, 'result', slowTextOf),
      ])
    },
  },
]

const irreversible: ReadonlySet<string> = wordSet(
  'delete remove drop purge destroy erase wipe truncate revoke cancel refund pay charge send publish terminate uninstall ban',
)

/** Verbs whose object can be an irreversible verb: `listCancelReasons`. */
const harmless: ReadonlySet<string> = wordSet(
  'get list search find query browse read show describe count check fetch view lookup look preview validate calculate estimate is has can',
)

/** Returns the word of a tool's name that says that a call cannot be undone. */
function irreversibleVerb(name: string): string | undefined {
  const verb = wordsOf(name).find((word) => irreversible.has(word) || harmless.has(word))
  return verb !== undefined && irreversible.has(verb) ? verb : undefined
}

function slowPatterns(
  lintTool: LintTool,
  side: 'arguments' | 'result',
  slowTextOf: (pattern: string) => string | undefined,
): readonly LintDiagnostic[] {
  const { tool, toolset, fields } = lintTool
  const slow = patternsOf(tool[side], toolset.defs).filter(({ pattern }) => slowTextOf(pattern) !== undefined)
  const [first] = slow
  if (first === undefined) return []
  const patterns = [...new Set(slow.map(({ pattern }) => pattern))]
  const isResult = side === 'result'
  const field = isResult ? undefined : fields.find(({ path }) => path.join('\0') === first.path.join('\0'))
  const [have, are] = patterns.length === 1 ? ['a pattern', 'is'] : ['patterns', 'are']
  return [
    {
      subject: field ? fieldSubject(lintTool, field) : toolSubject(lintTool, isResult ? 'result' : 'payload'),
      message: `${isResult ? 'The result of ' : ''}\`${tool.id}\` has ${have} that ${are} slow in other validators: ${namesList(patterns)}.`,
      facts: patterns.map(
        (pattern) =>
          `\`${pattern}\` takes a backtracking engine more than half a second to refuse ${JSON.stringify(slowTextOf(pattern))}.`,
      ),
    },
  ]
}

/** Returns the patterns of a schema and of its definitions, with the names of the fields that lead to them. */
function patternsOf(root: Schema, defs: Readonly<Record<string, Schema>>) {
  const found: { readonly pattern: string; readonly path: readonly string[] }[] = []
  const entered = new Set<string>()
  const visit = (schema: Schema, path: readonly string[]): void => {
    if (!isObject(schema)) return
    const [pattern, keyed, name] = [
      own(schema, 'pattern'),
      own(schema, 'patternProperties'),
      refName(own(schema, '$ref')),
    ]
    if (typeof pattern === 'string') found.push({ pattern, path })
    for (const key of isObject(keyed) ? Object.keys(keyed) : []) found.push({ pattern: key, path })
    eachSubschema(schema, (inner, [keyword, key]) =>
      visit(inner, keyword === 'properties' && key !== undefined ? [...path, key] : path),
    )
    if (name === undefined || entered.has(name)) return
    entered.add(name)
    visit(own(defs, name) ?? true, path)
  }
  visit(root, [])
  return found
}

/** Repetitions of a part: work that doubles with each of them then takes practically forever. */
const repeats = 50
/** Limits for the start and the length of the part of a matching text that is repeated. */
const maxStart = 24
const maxPartLength = 4
/** Limit for the characters that are tried as an ending that does not match. */
const maxEndings = 14

/**
 * Returns a short text that a backtracking engine needs more than half a second to refuse, if one is found. Candidates are
 * texts that the pattern matches, with repeated parts. Longer or unusual texts may be slow without being found.
 */
export function slowText(pattern: string): string | undefined {
  // A single repetition matches in one way only.
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
    // The time may have been spent on several texts together.
    if (!inTime(() => expression?.test(text)).isDone) return text
    index += 1
  }
  return undefined
}

function attacks(pattern: string): readonly string[] {
  const endings = [...new Set(['\0', ...pattern])].slice(0, maxEndings)
  const found = new Set<string>()
  for (const text of new Set([...patternExamples(pattern), 'a', '0'])) {
    for (let start = 0; start < Math.min(text.length, maxStart); start += 1) {
      for (let end = start + 1; end <= Math.min(text.length, start + maxPartLength); end += 1) {
        const repeated = text.slice(0, start) + text.slice(start, end).repeat(repeats)
        for (const ending of endings) found.add(repeated + ending)
      }
    }
  }
  return [...found]
}

/** Compiles a pattern with the flag `u`, else without flags. Returns `undefined` for an invalid pattern. */
function compiled(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags)
    } catch {
      // Only compiling tells whether a pattern is valid.
    }
  }
  return undefined
}
