import type { Feature } from '../agents/agent-builder.js'
import { withParts } from '../agents/agent-builder.js'
import { useHook } from '../agents/features.js'
import type { BoundTool } from '../call/bound-tools.js'
import { firstSentence } from '../call/first-sentence.js'
import { isReadResult } from '../call/read-result.js'
import type { ToolTable } from '../call/served-tool.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { Hook } from '../types/hook.js'
import type { ToolsetRegistration } from '../types/registration.js'
import type { AgentToolSpec } from '../types/tool.js'
import { loadedBy, offeredTools, unknownKept } from './loaded-tools.js'
import {
  agentSearchId,
  requireLimit,
  searchToolDescriptor,
  ToolSearch,
  type ToolSearchOptions,
  toolsetsText,
  wholeSearches,
} from './search-tool.js'
import { requireIndexes, type ToolSearchIndex } from './tool-terms.js'

/** Options for {@link useToolSearch}: `keep`, number of results, and generated indexes. */
export interface UseToolSearchOptions extends ToolSearchOptions {
  /**
   * Names of tools that the model always sees, for example `orders_getOrder` or `orders.getOrder`. Default: no tools.
   */
  readonly keep?: readonly string[]
}

/**
 * Lets the model of an agent search its tools: replaces the definitions of the tools by the tool `search_tools`. After a search, the model also
 * sees the definitions of the found tools in all later steps of the conversation. New definitions follow the earlier definitions, so that the
 * prompt caches of model providers remain valid. The messages of the conversation determine which tools are loaded. The tools are therefore
 * still loaded in resumed runs and continued conversations. If the model calls a tool that is not loaded, the call runs as usual, and the model
 * sees the definition of this tool afterwards.
 *
 * Install `minisearch`.
 *
 * @throws {RangeError} if `limit` is not an integer from 1 to 50
 * @throws {TypeError} if `index` is not a generated search index, or if the agent already has `useToolSearch` or `useCodeMode`. The registration
 * of the agent throws this error if `keep` contains an unknown name
 * @example
 * const agent = newSupportAgent(driver).with(useToolSearch({ keep: ['orders_getOrder'] })).build()
 * const support = registerSupport(new Runtime(), { agent, toolsets: { orders: { client } } })
 */
export function useToolSearch({ keep = [], ...options }: UseToolSearchOptions = {}): Feature {
  const limit = requireLimit('useToolSearch', options)
  const indexes = requireIndexes('useToolSearch', options)
  const names: ReadonlySet<string> = new Set(keep)
  return (builder) => {
    if (builder.parts.modelTools !== undefined) throw new TypeError(usedTwice)
    // The hook runs first, before hooks that shorten the conversation of a request.
    const hooked = builder.with(useHook('beforeModel', selectedTools(names), { name: 'toolSearch', priority: 1_000 }))
    return withParts(hooked, () => ({
      modelTools: ({ table }) => ({ registration: searchRegistration(table, names, limit, indexes) }),
    }))
  }
}

const usedTwice =
  'useToolSearch: the agent already has useToolSearch or useCodeMode. Remove one of them. In code mode, use useCodeMode({ search: true }).'

const idOf = ({ provider, qualifiedId }: AgentToolSpec): string => qualifiedId.slice(provider.length + 1)

function selectedTools(keep: ReadonlySet<string>): Hook<'beforeModel'> {
  const isKept = (tool: AgentToolSpec): boolean => isReadResult(tool) || keep.has(tool.toolName) || keep.has(idOf(tool))
  return ({ messages, tools }) => {
    // A later feature may have replaced the search tool.
    if (!tools.some((tool) => idOf(tool) === agentSearchId)) return undefined
    return { tools: offeredTools(tools, { nameOf: ({ toolName }) => toolName, isKept, loaded: loadedBy(messages) }) }
  }
}

interface FoundTools {
  readonly tools: readonly { readonly name: string; readonly description: string }[]
  readonly hint?: string
}

function searchRegistration(
  table: ToolTable,
  keep: ReadonlySet<string>,
  limit: number,
  indexes: readonly ToolSearchIndex[],
): ToolsetRegistration {
  const kept = new Set([...keep].map((name) => keptTool(name, table)))
  const tools = table.served.map(({ tool }) => tool)
  const search = new ToolSearch(
    tools.filter((tool) => !kept.has(tool)),
    indexes,
  )
  const descriptor = searchToolDescriptor(agentSearchId, limit, {
    description: `Finds tools for a task. You can call the found tools in your next message. There are tools for:\n${toolsetsText(tools)}`,
    result: resultSchema,
  })
  const toolset = { name: 'tool_search', namespace: 'default', description: 'Finds tools.', tools: [descriptor] }
  const execute = async (request: Parameters<ToolSearch['find']>[0]): Promise<FoundTools> => {
    const found = await search.find(request)
    if (found.length === 0) return { tools: [], hint: search.hint }
    return {
      tools: found.map(({ toolName, description }) => ({ name: toolName, description: firstSentence(description) })),
    }
  }
  return toolsetRegistration(
    { toolset, provider: 'function', maxResults: wholeSearches },
    { service: 'tool_search', execute },
  )
}

const resultSchema = {
  type: 'object',
  properties: {
    tools: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, description: { type: 'string' } },
        required: ['name', 'description'],
      },
    },
    hint: { type: 'string', description: 'Next step if no tool was found.' },
  },
  required: ['tools'],
}

function keptTool(name: string, { find, ids, toolNames }: ToolTable): BoundTool {
  const found = find(name)
  if (found !== undefined) return found.tool
  throw new TypeError(`useToolSearch: ${unknownKept(name, [...toolNames, ...ids])}`)
}
