import { isConversation } from '../chat/is-conversation.js'
import { isFields } from '../codec/json/kind.js'
import type { RunInput } from '../contract/agent-run.js'
import type { ChatMessage } from '../contract/chat-message.js'
import type { ChatFields } from '../contract/chat-request.js'
import { ToolFailure } from '../execute/failure/tool-failure.js'

/** What a run begins with, read once. */
export interface GivenInput {
  readonly messages: readonly ChatMessage[]
  /** Absent where the caller set none. */
  readonly fields?: ChatFields
}

/**
 * The caller's own input as it is now: which messages there are, their fields, and the other fields of a request. What the
 * caller changes later is not seen, but within the parts of a content.
 *
 * @throws {ToolFailure} when the input is neither text, nor a list of messages, nor a chat request; what reading it throws.
 */
export function givenInput(input: RunInput): GivenInput {
  if (typeof input === 'string') return { messages: [{ role: 'user', content: input }] }
  if (isConversation(input)) return { messages: own(input) }
  if (!isFields(input) || !isConversation(input.messages)) {
    throw wrong('the input of a run: a text, a list of chat messages, or a chat request with `messages`')
  }
  const { messages, ...fields } = input
  return Object.keys(fields).length === 0
    ? { messages: own(messages) }
    : { messages: own(messages), fields: ownFields(fields) }
}

/** The conversation that a run begins with: the agent's instructions first, unless the conversation has some already. */
export function runInput({ messages, ...rest }: GivenInput, instructions: string | undefined): GivenInput {
  const first = messages[0]?.role
  if (instructions === undefined || first === 'system' || first === 'developer') return { messages, ...rest }
  const told: ChatMessage = { role: 'system', content: instructions }
  return { messages: Object.freeze([Object.freeze(told), ...messages]), ...rest }
}

/** Copies, so that neither the caller nor a planner changes the messages of the other. */
function own(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return Object.freeze(messages.map((message) => Object.freeze({ ...message })))
}

/** A copy by way of JSON: a request is sent as JSON, and a run that waits is stored as JSON. */
function ownFields(fields: ChatFields): ChatFields {
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    if (field === undefined) return []
    const json = jsonText(field)
    if (json === undefined) throw wrong(`the field '${name}' of the chat request as JSON`)
    return [[name, JSON.parse(json)] as const]
  })
  return Object.freeze(Object.fromEntries(entries))
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    // A bigint, a cycle, a hostile getter: no JSON.
    return undefined
  }
}

function wrong(expected: string): ToolFailure {
  return new ToolFailure(`The caller of this run must give ${expected}.`, { reason: 'internal', action: 'finish' })
}
