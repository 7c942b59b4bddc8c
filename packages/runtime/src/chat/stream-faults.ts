import { quoted } from '../codec/issues/words.js'
import { isFields } from '../codec/json/kind.js'
import type { ChatToolCall } from '../contract/chat-message.js'
import { ownField } from './shape-rule.js'
import type { StreamFault } from './streamed-reply.js'

const longestError = 300

/** Calls that nobody can answer or carry out. */
export function incompleteCalls(calls: readonly ChatToolCall[]): readonly StreamFault[] {
  return calls.flatMap((call, index): readonly StreamFault[] => {
    const name = call.type === 'custom' ? call.custom.name : call.function.name
    const missing = [...(call.id === '' ? ['id'] : []), ...(name === '' ? ['name'] : [])]
    if (missing.length === 0) return []
    const message = `Call ${index} has no ${missing.join(' and no ')}.`
    return [{ kind: 'incomplete_call', path: `/tool_calls/${index}`, message }]
  })
}

/** What a server says of its error, for people. */
export function errorText(error: unknown): string {
  const text = isFields(error) ? ownField(error, 'message') : error
  return typeof text === 'string'
    ? `The server sent an error: ${quoted(text, longestError)}`
    : 'The server sent an error.'
}
