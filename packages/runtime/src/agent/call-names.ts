import type { ToolCall } from '../contract/call.js'
import type { MetaField } from '../contract/meta.js'
import { givenCall } from '../execute/call/given-call.js'
import type { ToolTable } from '../execute/call/tool-table.js'
import type { NamedCall } from './call-messages.js'

/**
 * Gives the calls of one run their ids, in call order. A call keeps its own id unless an earlier one of the run has it; in
 * the conversation it keeps its own in any case, byte for byte.
 */
export function callNames(table: ToolTable, newId: () => string): (call: ToolCall<unknown, MetaField>) => NamedCall {
  const used = new Set<string>()
  return (asked) => {
    const call = givenCall(asked)
    const own = call.toolCallId
    const toolCallId = own === undefined || used.has(own) ? newId() : own
    used.add(toolCallId)
    return {
      call: { ...call, toolCallId },
      chatId: own ?? toolCallId,
      wireName: table.find(call.tool)?.tool.spec.wireName ?? call.tool,
    }
  }
}
