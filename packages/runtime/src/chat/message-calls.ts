import { isFields } from '../schema/json-values.js'
import { ownField } from './messages.js'

/** A call that a message makes or answers. */
export interface CallReference {
  /** The id of the call; for a legacy `function_call` the function's name. */
  readonly callId: string
  /** True for a `function_call`, whose names are apart from the ids of `tool_calls`. */
  readonly isLegacy: boolean
  /** A JSON Pointer into the message. */
  readonly path: string
}

/** The calls and the answer of a message, as far as they can be read. */
export interface MessageCalls {
  readonly calls: readonly CallReference[]
  /** The call that the message answers. */
  readonly answer?: CallReference
  /** True for an answer, even if its id cannot be read. */
  readonly isAnswer: boolean
  readonly hasEmptyList: boolean
  /** True for an assistant's message without content and calls. */
  readonly isEmpty: boolean
}

/**
 * Returns the calls that a message makes, and the call that it answers. @throws what the fields of the message throw
 */
export function messageCalls(message: unknown): MessageCalls {
  const none: MessageCalls = { calls: [], isAnswer: false, hasEmptyList: false, isEmpty: false }
  if (!isFields(message)) return none
  const role = ownField(message, 'role')
  if (role === 'assistant') return assistantCalls(message)
  if (role !== 'tool' && role !== 'function') return none
  const isLegacy = role === 'function'
  const field = isLegacy ? 'name' : 'tool_call_id'
  const callId = ownField(message, field)
  return {
    ...none,
    isAnswer: true,
    ...(typeof callId === 'string' && { answer: { callId, isLegacy, path: `/${field}` } }),
  }
}

function assistantCalls(message: object): MessageCalls {
  const list = ownField(message, 'tool_calls')
  const items: readonly unknown[] = Array.isArray(list) ? list : []
  const calls = items.flatMap((call, index): readonly CallReference[] => {
    const callId = isFields(call) ? ownField(call, 'id') : undefined
    return typeof callId === 'string' ? [{ callId, isLegacy: false, path: `/tool_calls/${index}/id` }] : []
  })
  const legacy = ownField(message, 'function_call')
  const name = isFields(legacy) ? ownField(legacy, 'name') : undefined
  if (typeof name === 'string') calls.push({ callId: name, isLegacy: true, path: '/function_call/name' })
  const content = ['content', 'refusal', 'audio', 'function_call'].map((field) => ownField(message, field) ?? undefined)
  return {
    calls,
    isAnswer: false,
    hasEmptyList: Array.isArray(list) && items.length === 0,
    isEmpty: items.length === 0 && content.every((part) => part === undefined),
  }
}
