import { isConversation } from '../chat/is-conversation.js'
import type { RunInput } from '../contract/agent-run.js'
import type { ChatMessage } from '../contract/chat-message.js'
import type { ChatFields } from '../contract/chat-request.js'

/** What a run begins with, read once. */
export interface GivenInput {
  readonly messages: readonly ChatMessage[]
  /** Absent where the caller set none. */
  readonly fields?: ChatFields
}

/** The caller's own input as it is now: what the caller changes later is not seen. */
export function givenInput(input: RunInput): unknown {
  if (Array.isArray(input)) return [...input]
  return typeof input === 'object' && input !== null ? { ...input } : input
}

/**
 * The conversation that a run begins with: the agent's instructions first, unless the conversation has some already.
 *
 * @throws {TypeError} when the input is neither text, nor a list of messages, nor a chat request.
 */
export function runInput(input: unknown, instructions: string | undefined): GivenInput {
  const { messages, ...fields } = requestOf(input)
  const first = messages[0]?.role
  const told =
    instructions === undefined || first === 'system' || first === 'developer'
      ? messages
      : [{ role: 'system', content: instructions } as const, ...messages]
  return Object.keys(fields).length === 0
    ? { messages: own(told) }
    : { messages: own(told), fields: Object.freeze(fields) }
}

function requestOf(input: unknown): { readonly messages: readonly ChatMessage[]; readonly [field: string]: unknown } {
  if (typeof input === 'string') return { messages: [{ role: 'user', content: input }] }
  if (isConversation(input)) return { messages: input }
  if (isRequest(input)) return input
  throw new TypeError('run: the input is neither text nor a list of chat messages nor a chat request with `messages`')
}

function isRequest(input: unknown): input is { readonly messages: readonly ChatMessage[] } {
  return typeof input === 'object' && input !== null && 'messages' in input && isConversation(input.messages)
}

/** Copies, so that neither the caller nor a planner changes the messages of the other. */
function own(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return Object.freeze(messages.map((message) => Object.freeze({ ...message })))
}
