import { equalityKey } from '../../codec/json/equality-key.js'
import { payloadCodec } from '../../codec/payload-codec.js'
import type { ChatMessage, ChatToolCall } from '../../contract/chat-message.js'
import type { Codec } from '../../contract/codec.js'
import type { StopCondition } from '../../contract/stop-condition.js'

/** Reads any JSON that is not nested beyond measure. */
const anyJson: Codec<never, unknown> = payloadCodec({ schema: {}, unknown: 'keep' })

/**
 * Ends a run that asked for the same calls in so many steps in a row: the same tools with arguments that are the same JSON,
 * in any order.
 */
export function repetitionGuard(times: number): StopCondition {
  return ({ messages, runStart, earlier = [] }) => {
    const ofPass = lastCalls(messages, runStart, times)
    const last = [...ofPass, ...lastCalls(earlier, 0, times - ofPass.length)]
    const isRepeated = last.length === times && last.every((asked) => asked === last[0])
    return isRepeated ? { reason: 'repetition', times } : undefined
  }
}

/** Keys of the last messages that ask for calls, the last one first. */
function lastCalls(messages: readonly ChatMessage[], start: number, count: number): readonly string[] {
  const last: string[] = []
  for (let index = messages.length - 1; index >= start && last.length < count; index -= 1) {
    const asked = callsKey(messages[index])
    if (asked !== undefined) last.push(asked)
  }
  return last
}

/** A text that two messages share which ask for the same calls; `undefined` for one that asks for none. */
function callsKey(message: ChatMessage | undefined): string | undefined {
  const calls = message?.role === 'assistant' ? (message.tool_calls ?? []) : []
  return calls.length === 0 ? undefined : JSON.stringify(calls.map(callKey).sort())
}

function callKey(call: ChatToolCall): string {
  if (call.type === 'custom') return JSON.stringify([call.custom.name, call.custom.input])
  const { name, arguments: json } = call.function
  const decoded = anyJson.decode(json)
  return JSON.stringify([name, decoded.ok ? equalityKey(decoded.value) : json])
}
