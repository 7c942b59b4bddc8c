import type { ChatMessage } from '../types/chat.js'
import { searchToolName } from './search-tool.js'

/**
 * Returns the names of the tools that a conversation has loaded: those that `search_tools` found, and those that were called. The names have
 * the order of their first occurrence, so that a longer conversation only appends names.
 */
export function loadedNames(messages: readonly ChatMessage[]): ReadonlySet<string> {
  const names = new Set<string>()
  // Ids can occur again in a later run of the same conversation.
  let searches = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant') {
      const calls = (message.tool_calls ?? []).flatMap((call) => (call.type === 'function' ? [call] : []))
      searches = new Set(calls.filter((call) => call.function.name === searchToolName).map(({ id }) => id))
      for (const call of calls) names.add(call.function.name)
    } else if (message.role === 'tool' && searches.has(message.tool_call_id)) {
      for (const name of foundNames(textOf(message.content))) names.add(name)
    }
  }
  return names
}

function textOf(content: Extract<ChatMessage, { role: 'tool' }>['content']): string {
  return typeof content === 'string' ? content : content.map(({ text }) => text).join('')
}

/** Reads the names in a result of `search_tools`. A failed search is a text that is not JSON. */
function foundNames(text: string): readonly string[] {
  try {
    const { tools }: { readonly tools?: unknown } = Object(JSON.parse(text))
    return Array.isArray(tools) ? tools.map((tool) => Object(tool).name).filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}
