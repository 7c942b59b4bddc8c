import { type Field, type LintTool, type Rule, reportFields } from './context.js'
import { examplePair } from './examples.js'
import { saysOnly, singular, wordSet, wordsOf } from './words.js'

export const nameRules: readonly Rule[] = [
  {
    id: 'ambiguous-field',
    code: 'TG8316',
    next: 'Give it the name of what it holds, or say in its description what that is.',
    examples: examplePair(
      `noteCall: defineTool({
  description: 'Keeps what a customer said on the phone.',
  payload: z.object({ … }),
  result: z.object({ kept: z.boolean() }),
})`,
      'data: z.string()',
      "summary: z.string().describe('Two or three sentences')",
    ),
    check: ({ tools }) =>
      reportFields(tools, isAmbiguous, (names, id, many) => {
        const neither = many ? 'the names nor the descriptions say' : 'the name nor the description says'
        return `${names} of ${id} could be anything: neither ${neither} what.`
      }),
  },
  {
    id: 'boolean-trap',
    code: 'TG8317',
    next: 'Make it an enum of the choices, or a flag whose name says what is true of it (`includeDrafts`).',
    examples: examplePair(
      `exportOrders: defineTool({
  description: 'Writes the orders of a month to a file.',
  payload: z.object({ format: z.… }),
  result: z.object({ file: z.string() }),
})`,
      "boolean().describe('The format')",
      "enum(['csv', 'json']).describe('What the file holds')",
    ),
    check: ({ tools }) =>
      reportFields(
        tools,
        isUnclearFlag,
        (names, id, many) => `${names} of ${id} ${many ? 'are flags' : 'is a flag'}, and nothing says what true means.`,
      ),
  },
  {
    id: 'unclear-unit',
    code: 'TG8319',
    next: 'Put the unit into the name or the description, e.g. `timeoutMs` or "in seconds".',
    examples: examplePair(
      `remindLater: defineTool({
  description: 'Asks the customer again after some time.',
  payload: z.object({ delay: z.number().describe('How long to wait…') }),
  result: z.object({ planned: z.boolean() }),
})`,
      '',
      ', in hours',
    ),
    check: ({ tools }) =>
      reportFields(
        tools,
        lacksUnit,
        (names, id, many) => `Nothing says in which unit ${names} of ${id} ${many ? 'are' : 'is'}.`,
      ),
  },
]

const vague: ReadonlySet<string> = wordSet(
  'data value values val info item items obj object objects param params arg args arguments input payload stuff thing misc extra temp tmp',
)

/** Returns `true` if neither the name of a field nor its description says what it holds. The `2` of `id2` says nothing. */
export function isAmbiguous({ name, path, description = '', shape }: Field): boolean {
  // In an object with a name of its own, `value` often is the right word.
  if (path.length > 1 || shape.kind === 'literals' || !saysOnly(description, [name])) return false
  return vague.has(name.toLowerCase()) || /^[a-z]+[_-]?[2-9]$/i.test(name)
}

const choiceNouns: ReadonlySet<string> = wordSet(
  'type mode status state format kind level direction order sort priority choice option setting flag switch unit language',
)

/** Returns `true` for a flag with the name of a choice, or of the opposite of what it does, and without an explanation. */
export function isUnclearFlag({ name, description = '', shape }: Field): boolean {
  if (shape.kind !== 'boolean' || /\b(?:true|false|if|whether|when|set)\b/i.test(description)) return false
  const words = wordsOf(name)
  if (choiceNouns.has(words.at(-1) ?? '')) return true
  return ['no', 'not', 'dont'].includes(words[0] ?? '') && saysOnly(description, [name])
}

const quantities: ReadonlySet<string> = wordSet(
  'timeout duration delay interval ttl latency distance weight temperature speed price cost amount fee salary',
)

const units: ReadonlySet<string> = wordSet(
  'ms millisecond msec s sec second min minute h hr hour d day week month year',
  'b byte kb kilobyte mb megabyte gb px pixel em pt mm cm m km meter metre millimeter centimeter kilometer kilometre mile ft foot feet',
  'inch yard mg g kg gram kilogram lb pound ounce oz ton c f k celsius fahrenheit kelvin degree kmh mph kph knot',
  'cent usd eur gbp chf jpy cny inr dollar euro yen rupee currency unit percent pct percentage token block gwei wei eth',
  'hz khz mhz ghz watt kw volt',
)

function lacksUnit({ name, path, description = '', shape }: Field, { fields }: LintTool): boolean {
  if (shape.kind !== 'number' || !wordsOf(name).some((word) => quantities.has(word))) return false
  if (/[%°$€£¥]|\d+(?:ms|s|min|h|px|km|kg|mb)\b/i.test(description)) return false
  // A sibling often holds the unit, as the currency of an amount.
  const parent = path.slice(0, -1).join('.')
  const unitFields = fields
    .filter((field) => field.path.slice(0, -1).join('.') === parent)
    .map((field) => field.name)
    .filter((sibling) => wordsOf(sibling).some((word) => singular(word) === 'unit' || word === 'currency'))
  return ![...unitFields, name, description].some((text) =>
    wordsOf(text).some((word) => units.has(word) || units.has(singular(word))),
  )
}
