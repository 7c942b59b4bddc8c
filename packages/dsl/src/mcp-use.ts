import { hasFields, isDictionaryOf, isMade, isName } from './check/checks.js'
import { quoted } from './check/fault.js'
import { checkedFields, type FieldChecks, frozenDictionary, plainCopy } from './check/fields.js'
import type { Toolset } from './toolset.js'
import type { McpToolOptions, McpUseOptions } from './types/mcp-use.js'
import { frozenUseParts, usePartChecks } from './use-parts.js'
import type { McpToolValue, McpUseValue, ToolsetValue, ToolValue } from './values.js'

const toolChecks: FieldChecks = { required: {}, optional: { name: isName } }

const useChecks: FieldChecks = {
  required: {},
  optional: { ...usePartChecks, tools: isDictionaryOf(hasFields(toolChecks)) },
}

/**
 * Gives a toolset to an agent, served by an MCP server: one that `toolgen import mcp` wrote, or one that was declared by
 * hand. `tools` says what the server calls single tools; a toolset that was imported says it itself. `only` selects tools
 * and `rename` changes the names that this agent's model sees. Throws a TypeError when an argument is evidently wrong.
 *
 * @example
 * fromMcp(files, { only: ['readFile'], tools: { readFile: { name: 'read_file' } } })
 */
export function fromMcp<
  Used extends Readonly<Record<string, ToolValue>>,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
  const Named extends string = never,
>(toolset: Toolset<Used>, options?: McpUseOptions<Selected, Renamed, Named>): McpUseValue
export function fromMcp(toolset: ToolsetValue, options: McpUseOptions<string, string, string> = {}): McpUseValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'fromMcp: first argument')
  const where = `fromMcp(${quoted(toolset.name)})`
  const { tools, ...parts } = checkedFields(options, useChecks, where)
  return Object.freeze<McpUseValue>({
    '~toolgen': 'use',
    provider: 'mcp',
    toolset,
    ...frozenUseParts(parts, where),
    ...(tools && { tools: frozenTools(tools, `${where}: tools`) }),
  })
}

function frozenTools(
  tools: Readonly<Record<string, McpToolOptions>>,
  where: string,
): Readonly<Record<string, McpToolValue>> {
  const entries = Object.entries(plainCopy(tools, where)).map(([tool, options]): [string, McpToolValue] => [
    tool,
    Object.freeze<McpToolValue>(plainCopy(options, `${where}[${quoted(tool)}]`)),
  ])
  return frozenDictionary(Object.fromEntries(entries), where)
}
