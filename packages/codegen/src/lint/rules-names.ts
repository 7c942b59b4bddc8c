import { aboutField, type Field, type Rule, saysOnly, singular, type ToolScene, toolsWith, wordsOf } from './context.js'

/** Fields whose names could mean anything, and of which nothing else is said. */
export const ambiguousField: Rule = {
  id: 'ambiguous-field',
  code: 'TG8316',
  next: 'Give it the name of what it holds, or say in its description what that is.',
  examples: {
    bad: `noteCall: defineTool({
  description: 'Keeps what a customer said on the phone.',
  payload: z.object({ data: z.string() }),
  result: z.object({ kept: z.boolean() }),
})`,
    good: `noteCall: defineTool({
  description: 'Keeps what a customer said on the phone.',
  payload: z.object({ summary: z.string().describe('Two or three sentences') }),
  result: z.object({ kept: z.boolean() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(tools, isAmbiguous).map(({ scene, first, names, many }) => ({
      about: aboutField(scene, first),
      message: `${names} of \`${scene.tool.id}\` could be anything: neither ${many ? 'the names nor the descriptions say' : 'the name nor the description says'} what.`,
    })),
}

const vague: ReadonlySet<string> = new Set(
  'data value values val info item items obj object objects param params arg args arguments input payload stuff thing misc extra temp tmp'.split(
    ' ',
  ),
)

/** Whether neither the name of a field nor its description says what it holds: also `id2`, whose `2` means nothing. */
export function isAmbiguous({ name, names, description = '', shape }: Field): boolean {
  // Within an object that has a name of its own, `value` often is the right word.
  if (names.length > 1 || shape.kind === 'literals' || !saysOnly(description, [name])) return false
  return vague.has(name.toLowerCase()) || /^[a-z]+[_-]?[2-9]$/i.test(name)
}

/** Flags of which one cannot tell what true means. */
export const booleanTrap: Rule = {
  id: 'boolean-trap',
  code: 'TG8317',
  next: 'Make it an enum of the choices, or a flag whose name says what is true of it (`includeDrafts`).',
  examples: {
    bad: `exportOrders: defineTool({
  description: 'Writes the orders of a month to a file.',
  payload: z.object({ format: z.boolean().describe('The format') }),
  result: z.object({ file: z.string() }),
})`,
    good: `exportOrders: defineTool({
  description: 'Writes the orders of a month to a file.',
  payload: z.object({ format: z.enum(['csv', 'json']).describe('What the file holds') }),
  result: z.object({ file: z.string() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(tools, isTrap).map(({ scene, first, names, many }) => ({
      about: aboutField(scene, first),
      message: `${names} of \`${scene.tool.id}\` ${many ? 'are flags' : 'is a flag'}, and nothing says what true means.`,
    })),
}

const nouns: ReadonlySet<string> = new Set(
  'type mode status state format kind level direction order sort priority choice option setting flag switch unit language'.split(
    ' ',
  ),
)

/** Whether a field is a flag that is called like a choice, or like the opposite of what it does, without an explanation. */
export function isTrap({ name, description = '', shape }: Field): boolean {
  if (shape.kind !== 'boolean' || /\b(?:true|false|if|whether|when|set)\b/i.test(description)) return false
  const words = wordsOf(name)
  if (nouns.has(words.at(-1) ?? '')) return true
  return ['no', 'not', 'dont'].includes(words[0] ?? '') && saysOnly(description, [name])
}

/** Quantities without a unit. */
export const unclearUnit: Rule = {
  id: 'unclear-unit',
  code: 'TG8319',
  next: 'Put the unit into the name or the description, e.g. `timeoutMs` or "in seconds".',
  examples: {
    bad: `remindLater: defineTool({
  description: 'Asks the customer again after some time.',
  payload: z.object({ delay: z.number().describe('How long to wait') }),
  result: z.object({ planned: z.boolean() }),
})`,
    good: `remindLater: defineTool({
  description: 'Asks the customer again after some time.',
  payload: z.object({ delay: z.number().describe('How long to wait, in hours') }),
  result: z.object({ planned: z.boolean() }),
})`,
  },
  check: ({ tools }) =>
    toolsWith(tools, isUnclear).map(({ scene, first, names, many }) => ({
      about: aboutField(scene, first),
      message: `Nothing says in which unit ${names} of \`${scene.tool.id}\` ${many ? 'are' : 'is'}.`,
    })),
}

const quantities: ReadonlySet<string> = new Set(
  'timeout duration delay interval ttl latency distance weight temperature speed price cost amount fee salary'.split(
    ' ',
  ),
)

const units: ReadonlySet<string> = new Set(
  [
    'ms millisecond msec s sec second min minute h hr hour d day week month year',
    'b byte kb kilobyte mb megabyte gb px pixel em pt mm cm m km meter metre millimeter centimeter kilometer kilometre mile ft foot feet',
    'inch yard mg g kg gram kilogram lb pound ounce oz ton c f k celsius fahrenheit kelvin degree kmh mph kph knot',
    'cent usd eur gbp chf jpy cny inr dollar euro yen rupee currency unit percent pct percentage token block gwei wei eth',
    'hz khz mhz ghz watt kw volt',
  ].flatMap((line) => line.split(' ')),
)

function isUnclear(field: Field, { fields }: ToolScene): boolean {
  const { name, names, description = '', shape } = field
  if (shape.kind !== 'number' || !wordsOf(name).some((word) => quantities.has(word))) return false
  if (/[%°$€£¥]|\d+(?:ms|s|min|h|px|km|kg|mb)\b/i.test(description)) return false
  // What stands beside it often is the unit: an amount with its currency.
  const above = names.slice(0, -1).join('.')
  const beside = fields.filter((other) => other.names.slice(0, -1).join('.') === above).map((other) => other.name)
  return ![...beside.filter(isUnitName), name, description].some(namesUnit)
}

function isUnitName(name: string): boolean {
  return wordsOf(name).some((word) => singular(word) === 'unit' || word === 'currency')
}

function namesUnit(text: string): boolean {
  return wordsOf(text).some((word) => units.has(word) || units.has(singular(word)))
}
