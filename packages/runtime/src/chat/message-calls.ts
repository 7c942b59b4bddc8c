import { isFields } from '../codec/json/kind.js'
import { ownField } from './shape-rule.js'

/** A call that a message makes, or answers. */
export interface CallPlace {
  /** The id of the call; for a legacy `function_call` the function's name. */
  readonly callId: string
  /** Whether it is a `function_call`, whose names are apart from the ids of `tool_calls`. */
  readonly isLegacy: boolean
  /** A JSON Pointer into the message. */
  readonly path: string
}

/** What a message has to do with calls, as far as it can be read. */
export interface MessageCalls {
  readonly makes: readonly CallPlace[]
  readonly answers?: CallPlace
  /** Whether the message is an answer, with a readable id or without. */
  readonly isAnswer: boolean
  readonly hasEmptyList: boolean
  /** Whether it is an assistant's message that says nothing and asks for nothing. */
  readonly isEmpty: boolean
}

/** The calls that a message makes and the call that it answers. Throws what the message's own fields throw. */
export function messageCalls(message: unknown): MessageCalls {
  const none: MessageCalls = { makes: [], isAnswer: false, hasEmptyList: false, isEmpty: false }
  if (!isFields(message)) return none
  switch (ownField(message, 'role')) {
    case 'assistant':
      return assistantCalls(message)
    case 'tool':
      return { ...none, isAnswer: true, ...answered(ownField(message, 'tool_call_id'), false, '/tool_call_id') }
    case 'function':
      return { ...none, isAnswer: true, ...answered(ownField(message, 'name'), true, '/name') }
    default:
      return none
  }
}

function answered(callId: unknown, isLegacy: boolean, path: string): { readonly answers?: CallPlace } {
  return typeof callId === 'string' ? { answers: { callId, isLegacy, path } } : {}
}

function assistantCalls(message: object): MessageCalls {
  const list = ownField(message, 'tool_calls')
  const calls: readonly unknown[] = Array.isArray(list) ? list : []
  const legacy = ownField(message, 'function_call')
  const name = isFields(legacy) ? ownField(legacy, 'name') : undefined
  const makes = calls.flatMap((call, index): readonly CallPlace[] => {
    const callId = isFields(call) ? ownField(call, 'id') : undefined
    return typeof callId === 'string' ? [{ callId, isLegacy: false, path: `/tool_calls/${index}/id` }] : []
  })
  if (typeof name === 'string') makes.push({ callId: name, isLegacy: true, path: '/function_call/name' })
  return {
    makes,
    isAnswer: false,
    hasEmptyList: Array.isArray(list) && list.length === 0,
    isEmpty:
      calls.length === 0 &&
      ['content', 'refusal', 'audio', 'function_call'].every((field) => isAbsent(ownField(message, field))),
  }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null
