import { deepFreeze } from '../call/bound-tools.js'
import { estimateTokens } from '../call/estimate-tokens.js'
import { validateHistory } from '../chat/history.js'
import { messageCalls } from '../chat/message-calls.js'
import { isToolResultContent } from '../chat/result-content.js'
import type { ChatContentPart, ChatMessage, ChatToolCall } from '../types/chat.js'
import type { JsonText } from '../types/json.js'

export interface ConversationLimits {
  readonly maxMessages: number
  readonly maxBytes: number
  readonly maxTokens: number
}

export interface KeptMessage {
  readonly message: ChatMessage
  readonly json: JsonText
  readonly tokens: number
}

const known = new WeakMap<ChatMessage, KeptMessage>()

/**
 * In the copy, a short text replaces each file. Repeated calls with the same message return the same copy.
 *
 * @throws {TypeError} if JSON cannot represent the message
 */
export function keptMessage(source: ChatMessage): KeptMessage {
  const existing = known.get(source)
  if (existing !== undefined) return existing
  const json = JSON.stringify(withoutFiles(source))
  const message: ChatMessage = deepFreeze(JSON.parse(json))
  const kept = { message, json, tokens: estimateTokens(json) }
  known.set(source, kept)
  known.set(message, kept)
  return kept
}

export function keptWithin(messages: readonly ChatMessage[], limits: ConversationLimits): readonly KeptMessage[] {
  const units = unitsOf(messages, limits)
  const budget = new Budget(limits)
  const lastTurn = units.findLastIndex(({ startsTurn }) => startsTurn)
  const question = units[lastTurn]
  if (question !== undefined) budget.take(question)
  let start = units.length
  while (start > 0 && (start - 1 === lastTurn || budget.take(units[start - 1] as Unit))) start -= 1
  const recent = units.slice(start)
  // The question of the last turn is kept even if the turn is too long.
  if (question !== undefined && start > lastTurn) recent.unshift(question)
  // An answer without its question is not kept.
  else if (start > 0)
    recent.splice(
      0,
      Math.max(
        0,
        recent.findIndex(({ startsTurn }) => startsTurn),
      ),
    )
  return recent.flatMap((unit) => unit.messages)
}

/** Messages that are stored or dropped together: a message with calls and the responses to these calls, or a single message without calls. */
interface Unit {
  readonly messages: readonly KeptMessage[]
  readonly startsTurn: boolean
}

class Budget {
  #messages: number
  #bytes: number
  #tokens: number

  constructor({ maxMessages, maxBytes, maxTokens }: ConversationLimits) {
    this.#messages = maxMessages
    this.#bytes = maxBytes
    this.#tokens = maxTokens
  }

  take({ messages }: Unit): boolean {
    const bytes = messages.reduce((sum, { json }) => sum + json.length, 0)
    const tokens = messages.reduce((sum, message) => sum + message.tokens, 0)
    if (messages.length > this.#messages || bytes > this.#bytes || tokens > this.#tokens) return false
    this.#messages -= messages.length
    this.#bytes -= bytes
    this.#tokens -= tokens
    return true
  }
}

function unitsOf(messages: readonly ChatMessage[], limits: ConversationLimits): readonly Unit[] {
  const groups: ChatMessage[][] = []
  let isOfCalls = false
  for (const message of messages) {
    const { calls, isAnswer } = messageCalls(message)
    const last = groups.at(-1)
    if (isOfCalls && last !== undefined && (isAnswer || isToolResultContent(message))) last.push(message)
    else {
      groups.push([message])
      isOfCalls = calls.length > 0
    }
  }
  return groups.flatMap((group) => {
    // A planner or a layer may have made invalid messages. Other runs must be able to continue.
    if (validateHistory(group).length > 0 || !group.every(isJson)) return []
    const unit = { messages: shortened(group.map(keptMessage), limits), startsTurn: group[0]?.role === 'user' }
    return new Budget(limits).take(unit) ? [unit] : []
  })
}

function isJson(message: ChatMessage): boolean {
  try {
    keptMessage(message)
    return true
  } catch {
    return false
  }
}

/**
 * A unit (messages that are stored or dropped together) uses at most half of the allowed size, so that the conversation has space for other units.
 */
function shortened(messages: readonly KeptMessage[], { maxBytes, maxTokens }: ConversationLimits) {
  const max = { bytes: maxBytes / 2 / messages.length, tokens: maxTokens / 2 / messages.length }
  return messages.map((kept) => {
    const ratio = Math.min(max.bytes / kept.json.length, max.tokens / kept.tokens)
    return ratio >= 1 ? kept : keptMessage(cut(kept.message, ratio))
  })
}

const NOTE_LENGTH = 60

function cut(message: ChatMessage, ratio: number): ChatMessage {
  const cutText = (text: string): string => {
    const length = Math.max(0, Math.floor(text.length * ratio) - NOTE_LENGTH)
    if (text.length <= length + NOTE_LENGTH) return text
    // Removes half of a surrogate pair, which is not valid Unicode.
    const start = text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')
    return `${start}… (shortened, ${text.length} characters)`
  }
  const cutCall = (call: ChatToolCall): ChatToolCall =>
    call.type === 'function' && call.function.arguments.length > NOTE_LENGTH
      ? { ...call, function: { ...call.function, arguments: JSON.stringify({ shortened: cutText('') }) } }
      : call
  // `any`: the fields keep their types.
  const fields: any = { ...message }
  if (typeof message.content === 'string') fields.content = cutText(message.content)
  else if (Array.isArray(message.content)) {
    fields.content = message.content.map((part) =>
      part.type === 'text' ? { ...part, text: cutText(part.text) } : part,
    )
  }
  if (message.role === 'assistant' && Array.isArray(message.tool_calls)) {
    fields.tool_calls = message.tool_calls.map(cutCall)
  }
  return fields
}

function withoutFiles(message: ChatMessage): ChatMessage {
  if (message.role === 'assistant' && message.audio != null) return { ...message, audio: { id: message.audio.id } }
  if (message.role !== 'user' || typeof message.content === 'string') return message
  const content = message.content.map(withoutFile)
  return content.every((part, index) => part === message.content[index]) ? message : { ...message, content }
}

function withoutFile(part: ChatContentPart): ChatContentPart {
  const note = (name: string, data: string): ChatContentPart => {
    return { type: 'text', text: `(This ${name} of ${data.length} characters is not kept in the conversation.)` }
  }
  switch (part.type) {
    case 'image_url':
      return part.image_url.url.startsWith('data:') ? note('image', part.image_url.url) : part
    case 'input_audio':
      return note('audio', part.input_audio.data)
    case 'file':
      return part.file.file_data === undefined ? part : note('file', part.file.file_data)
    default:
      return part
  }
}
