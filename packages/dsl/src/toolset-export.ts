import { hasFields, isDictionaryOf, isFlag, isMade, isMessage } from './check/checks.js'
import { quoted } from './check/fault.js'
import { checkedFields, type FieldChecks, frozenDictionary, plainCopy } from './check/fields.js'
import type { Toolset } from './toolset.js'
import type { ExportedToolOptions, ExportOptions } from './types/toolset-export.js'
import type { ExportedToolValue, ExportValue, ToolsetValue, ToolValue } from './values.js'

const toolChecks: FieldChecks = {
  required: {},
  optional: { text: isMessage, template: isMessage, systemPrompt: isMessage, prose: isFlag },
}

const exportChecks: FieldChecks = {
  required: {},
  optional: { tools: isDictionaryOf(hasFields(toolChecks)) },
}

/**
 * Says how an agent serves a toolset that stands in its `exports`: each call of a tool is a run of the agent, and `tools`
 * says for single tools what that run begins with and whether words count as its result. A toolset that needs none of
 * it stands in `exports` by itself. Throws a TypeError when an argument is evidently wrong.
 *
 * @example
 * exportToolset(investigation, { tools: { investigate: { template: 'Find out all about {{topic}}.' } } })
 */
export function exportToolset<Tools extends Readonly<Record<string, ToolValue>>, const Named extends string = never>(
  toolset: Toolset<Tools>,
  options?: ExportOptions<keyof Tools & string, Named>,
): ExportValue
export function exportToolset(toolset: ToolsetValue, options: ExportOptions<string, string> = {}): ExportValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'exportToolset: first argument')
  const where = `exportToolset(${quoted(toolset.name)})`
  const { tools } = checkedFields(options, exportChecks, where)
  return Object.freeze<ExportValue>({
    '~toolgen': 'export',
    toolset,
    tools: frozenTools(tools ?? {}, `${where}: tools`),
  })
}

function frozenTools(
  tools: Readonly<Record<string, ExportedToolOptions>>,
  where: string,
): Readonly<Record<string, ExportedToolValue>> {
  const entries = Object.entries(plainCopy(tools, where)).map(([tool, options]): [string, ExportedToolValue] => [
    tool,
    Object.freeze<ExportedToolValue>(plainCopy(options, `${where}[${quoted(tool)}]`)),
  ])
  return frozenDictionary(Object.fromEntries(entries), where)
}
