import { isDictionaryOf, isMade, isName, isText } from './check/checks.js'
import { quoted } from './check/fault.js'
import { checkedFields, type FieldChecks, frozenDictionary } from './check/fields.js'
import type { ToolsetValue, ToolValue } from './values.js'

/** What is told about a toolset. */
export interface ToolsetDefinition<Tools extends Readonly<Record<string, ToolValue>>> {
  /** What its tools are about, for models. */
  readonly description: string
  /** The tools by name; their order is kept. */
  readonly tools: Tools
  /** Groups toolsets, e.g. for sessions. Default: `default`. */
  readonly namespace?: string
}

/** A toolset of a design, with the types of its tools. */
export interface Toolset<Tools extends Readonly<Record<string, ToolValue>> = Readonly<Record<string, ToolValue>>>
  extends ToolsetValue {
  readonly tools: Tools
}

const toolsetChecks: FieldChecks = {
  required: { description: isText, tools: isDictionaryOf(isMade('tool', 'Make it with defineTool({ ... })')) },
  optional: { namespace: isName },
}

/**
 * Declares a named group of tools. Whoever serves or uses it refers to this value. Throws a TypeError when the
 * definition is evidently wrong.
 *
 * @example
 * export const orders = defineToolset('orders', {
 *   description: 'Look up and change customer orders.',
 *   tools: { getOrder, cancelOrder },
 * })
 */
export function defineToolset<Tools extends Readonly<Record<string, ToolValue>>>(
  name: string,
  definition: ToolsetDefinition<Tools>,
): Toolset<Tools>
export function defineToolset(
  name: string,
  definition: ToolsetDefinition<Readonly<Record<string, ToolValue>>>,
): ToolsetValue {
  isName(name, 'defineToolset: name')
  const where = `defineToolset(${quoted(name)})`
  const { description, tools, namespace } = checkedFields(definition, toolsetChecks, where)
  return Object.freeze<ToolsetValue>({
    '~toolgen': 'toolset',
    name,
    description,
    namespace: namespace ?? 'default',
    tools: frozenDictionary(tools, `${where}: tools`),
  })
}
