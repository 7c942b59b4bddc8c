import { isFields } from '../schema/json-values.js'
import { ownField } from './messages.js'

/** A call in a message, or the reference of an answer to its call. */
export interface CallReference {
  /** Id of the call; for a legacy `function_call`, the name of the function. */
  readonly callId: string
  /** True for a legacy `function_call`. Its names are compared separately from the ids of `tool_calls`. */
  readonly isLegacy: boolean
  /** JSON Pointer to the id or name in the message. */
  readonly path: string
}

/** Calls in a message whose ids can be read, or the call that the message answers. */
export interface MessageCalls {
  readonly calls: readonly CallReference[]
  /** The call that the message answers. */
  readonly answer?: CallReference
  /** True for a message that answers a call, even if the id of the call cannot be read. */
  readonly isAnswer: boolean
  readonly hasEmptyList: boolean
  /** True for an assistant message without content, refusal, audio and calls. */
  readonly isEmpty: boolean
}

/** Returns the calls of a message, or the call that it answers. @throws errors of the message's getters */
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
