import type { ChatMessage } from '../types/chat.js'
import type { DataSource, ToolOutcome } from '../types/outcome.js'
import type { ReadLabel } from '../types/tool.js'
import type { BoundTool, KnownTools } from './bound-tools.js'
import { joinedReads } from './provenance.js'
import { agentServing } from './required-options.js'
import type { ToolTable } from './served-tool.js'

export function outcomeSources(outcomes: readonly ToolOutcome[]): readonly DataSource[] {
  return outcomes.flatMap(({ call: { tool, toolCallId }, provenance: { reads } }) =>
    reads === undefined ? [] : [{ tool, toolCallId, reads }],
  )
}

/**
 * Messages do not contain the calls that an agent or a program made. The call of an agent or a program therefore gets the labels of all tools that
 * the agent or program can use.
 */
export function messageSources(
  messages: readonly ChatMessage[],
  table: ToolTable,
  known: KnownTools,
): readonly DataSource[] {
  const answered = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : [])))
  return messages.flatMap((message) => {
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
    return calls.flatMap((call): readonly DataSource[] => {
      const name = call.type === 'function' ? call.function.name : undefined
      const tools = name === undefined || !answered.has(call.id) ? [] : known.find(name, table.find(name)?.tool)
      return tools.flatMap((tool) => {
        const reads = possibleReads(tool, new Set())
        return reads === undefined ? [] : [{ tool: tool.id, toolCallId: call.id, reads }]
      })
    })
  })
}

function possibleReads(tool: BoundTool, seen: Set<BoundTool>): readonly ReadLabel[] | undefined {
  if (seen.has(tool)) return undefined
  seen.add(tool)
  const inner = servingTools(tool).map(({ tool: each }) => possibleReads(each, seen))
  return joinedReads(tool.spec.reads, ...inner)
}

function servingTools(tool: BoundTool): ToolTable['served'] {
  try {
    return agentServing(tool)?.table.served ?? []
  } catch {
    // The application's function threw an error. A call of the tool fails with this error.
    return []
  }
}
