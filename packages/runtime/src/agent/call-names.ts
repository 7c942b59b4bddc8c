import type { ToolCall } from '../contract/call.js'
import type { MetaField } from '../contract/meta.js'
import { givenCall } from '../execute/call/given-call.js'
import type { ToolTable } from '../execute/call/tool-table.js'
import type { NamedCall } from './call-messages.js'

/** How often an id is drawn that is used already. */
const MAX_DRAWS = 1_000

type AnyCall = ToolCall<unknown, MetaField>

/**
 * Gives the calls of one run their ids, step by step, in call order. A call keeps its own id unless an earlier one of the
 * run has it; in the conversation it keeps its own in any case, byte for byte.
 *
 * @param begun the ids that the run has used before
 */
export function callNames(
  table: ToolTable,
  newId: () => string,
  begun: Iterable<string> = [],
): (asked: readonly AnyCall[]) => readonly NamedCall[] {
  const used = new Set(begun)
  const claim = (id: string | undefined): string | undefined => {
    if (id === undefined || used.has(id)) return undefined
    used.add(id)
    return id
  }
  const unused = (): string => {
    for (let draw = 0; draw < MAX_DRAWS; draw += 1) {
      const id = claim(newId())
      if (id !== undefined) return id
    }
    throw new Error('the source of ids gives the same ids again and again')
  }
  return (asked) => {
    const calls = Array.from(asked, givenCall)
    // The calls' own ids first, so that none of ours is one of a later call.
    const own = calls.map(({ toolCallId }) => claim(toolCallId))
    return calls.map((call, index) => {
      const toolCallId = own[index] ?? unused()
      return {
        call: toolCallId === call.toolCallId ? call : { ...call, toolCallId },
        chatId: call.toolCallId ?? toolCallId,
        wireName: table.find(call.tool)?.tool.spec.wireName ?? call.tool,
      }
    })
  }
}
