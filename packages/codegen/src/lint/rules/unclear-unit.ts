import type { Field } from '../scene/fields.js'
import { aboutField, type Rule } from '../scene/rule.js'
import type { ToolScene } from '../scene/scene.js'
import { toolsWith } from '../scene/tools-with.js'
import { singular, wordsOf } from '../scene/words.js'

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
