import { nearestNames } from '../schema/nearest.js'
import type { ChatMessage } from '../types/chat.js'

export const searchToolName = 'search_tools'

/** Options of the functions `loadTools` of the framework adapters. */
export interface LoadToolsOptions {
  /** Names of tools that the model always sees. Default: no tools. */
  readonly keep?: readonly string[]
}

/** Names of the tools that `search_tools` found or that the model called, in the order of loading, so that new names are always at the end. */
export class LoadedTools {
  readonly names: Set<string> = new Set()

  call(name: string): void {
    this.names.add(name)
  }

  /** A failed search returns text that is not JSON. */
  found(text: string): void {
    try {
      const { tools }: { readonly tools?: unknown } = Object(JSON.parse(text))
      if (!Array.isArray(tools)) return
      for (const tool of tools) if (typeof Object(tool).name === 'string') this.names.add(tool.name)
    } catch {}
  }
}

export function loadedBy(messages: readonly ChatMessage[]): LoadedTools {
  const loaded = new LoadedTools()
  // Ids can occur again in a later run of the same conversation.
  let searches = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant') {
      const calls = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []))
      searches = new Set(calls.filter((call) => call.function.name === searchToolName).map(({ id }) => id))
      for (const call of calls) loaded.call(call.function.name)
    } else if (message.role === 'tool' && searches.has(message.tool_call_id)) {
      const { content } = message
      loaded.found(typeof content === 'string' ? content : content.map(({ text }) => text).join(''))
    }
  }
  return loaded
}

export function offeredTools<Tool>(
  tools: readonly Tool[],
  {
    nameOf,
    isKept,
    loaded,
  }: {
    readonly nameOf: (tool: Tool) => string
    readonly isKept: (tool: Tool) => boolean
    readonly loaded: LoadedTools
  },
): readonly Tool[] {
  const byName = new Map(tools.map((tool) => [nameOf(tool), tool]))
  const named = (name: string): readonly Tool[] => {
    const tool = byName.get(name)
    return tool === undefined ? [] : [tool]
  }
  return [...new Set([...named(searchToolName), ...tools.filter(isKept), ...[...loaded.names].flatMap(named)])]
}

export function keptNames(names: readonly string[], { keep = [] }: LoadToolsOptions): ReadonlySet<string> {
  if (!names.includes(searchToolName))
    throw new TypeError(`loadTools: there is no tool '${searchToolName}'. Build the agent with useToolSearch().`)
  for (const name of keep) if (!names.includes(name)) throw new TypeError(`loadTools: ${unknownKept(name, names)}`)
  return new Set([...keep, 'read_result'])
}

export function unknownKept(name: string, names: readonly string[]): string {
  const near = nearestNames(name, names, 3).map((each) => `'${each}'`)
  const next = near.length > 0 ? `Did you mean ${near.join(', ')}?` : `Expected ${names.slice(0, 20).join(', ')}.`
  return `\`keep\` names a tool that does not exist: '${name}'. ${next}`
}
