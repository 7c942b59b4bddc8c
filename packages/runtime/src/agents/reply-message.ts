import { shapeFaults } from '../chat/message-shape.js'
import { type Fields, isFields } from '../schema/json-values.js'
import type { ChatAssistantMessage } from '../types/chat.js'
import { ModelResponseError } from './model-answer-error.js'

/**
 * The message of an answer as it goes into the conversation: as it was sent, with its unknown fields. Only what would make
 * the conversation one that servers refuse is mended: an empty `tool_calls`, an `index` that is left of a stream, a role, an
 * id or a type that is absent, an id that an earlier call of the message has, arguments that are no text, and a message that
 * says nothing at all.
 *
 * @param place how many messages are before it: ids that are made here are unique by it
 * @throws {ModelResponseError} for what is no assistant's message, or asks for calls as before `tool_calls`.
 */
export function replyMessage(value: unknown, place: number): ChatAssistantMessage {
  const message = isFields(value) ? mended(value, place) : value
  if (!isAssistantMessage(message)) {
    // Only where it is wrong: nothing that the server wrote may be shown.
    const path = shapeFaults(message)[0]?.path ?? '/role'
    const detail = path === '' ? undefined : `What is wrong is its ${path}.`
    throw new ModelResponseError('malformed_message', { cause: value, ...(detail !== undefined && { detail }) })
  }
  if (message.function_call !== undefined && message.function_call !== null) {
    const detail = 'It has a `function_call`; only `tool_calls` are run.'
    throw new ModelResponseError('malformed_message', { cause: value, detail })
  }
  return message
}

function isAssistantMessage(message: unknown): message is ChatAssistantMessage {
  return isFields(message) && message.role === 'assistant' && shapeFaults(message).length === 0
}

function mended(message: Fields, place: number): Fields {
  const { tool_calls: calls, ...rest } = message
  const role = message.role ?? 'assistant'
  if (Array.isArray(calls) && calls.length > 0) return { ...message, role, tool_calls: mendedCalls(calls, place) }
  if (calls !== undefined && calls !== null && !Array.isArray(calls)) return message
  return { ...rest, role, ...(saysNothing(rest) && { content: '' }) }
}

function saysNothing({ content, refusal, audio, function_call }: Fields): boolean {
  return [content, refusal, audio, function_call].every((part) => part === undefined || part === null)
}

function mendedCalls(calls: readonly unknown[], place: number): readonly unknown[] {
  const taken = new Set(calls.map((call) => (isFields(call) ? call.id : undefined)))
  const used = new Set<unknown>()
  return calls.map((call, at) => {
    if (!isFields(call)) return call
    const { index: _index, ...rest } = call
    const own = call.id === undefined || call.id === null || call.id === '' ? `call_${place}_${at}` : call.id
    const id = used.has(own) ? unusedId(`${own}_${at}`, taken) : own
    used.add(id)
    taken.add(id)
    const type = call.type ?? 'function'
    return { ...rest, id, type, ...(isFields(call.function) && { function: mendedFunction(call.function) }) }
  })
}

function unusedId(id: string, taken: ReadonlySet<unknown>): string {
  return taken.has(id) ? unusedId(`${id}_`, taken) : id
}

function mendedFunction(called: Fields): Fields {
  const { arguments: given } = called
  if (given === undefined || given === null) return { ...called, arguments: '{}' }
  return typeof given === 'object' ? { ...called, arguments: jsonText(given) } : called
}

/** What is nested beyond measure stays what it is, which is no message of chat completions. */
function jsonText(value: object): unknown {
  try {
    return JSON.stringify(value)
  } catch {
    return value
  }
}

/** What a model says in a message: its text, the parts one after the other; empty where it says nothing. */
export function spokenText({ content }: ChatAssistantMessage): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** By which words a model refuses; `undefined` where it does not. */
export function refusalText({ content, refusal }: ChatAssistantMessage): string | undefined {
  if (typeof refusal === 'string' && refusal !== '') return refusal
  if (!Array.isArray(content)) return undefined
  const parts = content.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []))
  return parts.length === 0 ? undefined : parts.join('')
}
