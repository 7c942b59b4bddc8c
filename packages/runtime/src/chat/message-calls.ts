import { isFields } from '../schema/json-values.js'
import type { ChatMessage } from '../types/chat.js'
import { ownField } from './messages.js'

export interface CallReference {
  /** For a legacy `function_call`, which has no id, the name of the function. */
  readonly callId: string
  /** The name in a legacy `function_call` is never compared with ids of other calls. */
  readonly isLegacy: boolean
  readonly path: string
}

/** Omits calls whose ids cannot be read. */
export interface MessageCalls {
  readonly calls: readonly CallReference[]
  readonly answer?: CallReference
  /** True even if the id of the call cannot be read. */
  readonly isAnswer: boolean
  readonly hasEmptyList: boolean
  readonly isEmpty: boolean
}

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
  const ids = toolCallIds(message)
  const calls = (ids ?? []).flatMap((callId, index): readonly CallReference[] => {
    return callId === undefined ? [] : [{ callId, isLegacy: false, path: `/tool_calls/${index}/id` }]
  })
  const legacy = ownField(message, 'function_call')
  const name = isFields(legacy) ? ownField(legacy, 'name') : undefined
  if (typeof name === 'string') calls.push({ callId: name, isLegacy: true, path: '/function_call/name' })
  const content = ['content', 'refusal', 'audio', 'function_call'].map((field) => ownField(message, field) ?? undefined)
  return {
    calls,
    isAnswer: false,
    hasEmptyList: ids?.length === 0,
    isEmpty: (ids ?? []).length === 0 && content.every((part) => part === undefined),
  }
}

/** Model servers reject unanswered calls. Does not change the first `runStart` messages. */
export function withAllAnswers(messages: readonly ChatMessage[], text: string, runStart = 0): readonly ChatMessage[] {
  let ids: readonly string[] = []
  const index = messages.findLastIndex((message) => {
    const found = message?.role === 'assistant' ? (toolCallIds(message) ?? []) : []
    ids = found.filter((id) => id !== undefined)
    return ids.length > 0
  })
  if (index < runStart) return messages
  const answers = new Map<string, ChatMessage>()
  let end = index + 1
  for (let message = messages[end]; message?.role === 'tool'; message = messages[end]) {
    answers.set(message.tool_call_id, message)
    end += 1
  }
  if (ids.every((id) => answers.has(id))) return messages
  const all = ids.map((id): ChatMessage => answers.get(id) ?? { role: 'tool', tool_call_id: id, content: text })
  const others = [...answers].flatMap(([id, message]) => (ids.includes(id) ? [] : [message]))
  return Object.freeze([...messages.slice(0, index + 1), ...all, ...others, ...messages.slice(end)])
}

/** An unreadable id is `undefined`. */
function toolCallIds(message: object): readonly (string | undefined)[] | undefined {
  const list = ownField(message, 'tool_calls')
  if (!Array.isArray(list)) return undefined
  return list.map((call: unknown) => {
    const id = isFields(call) ? ownField(call, 'id') : undefined
    return typeof id === 'string' ? id : undefined
  })
}
