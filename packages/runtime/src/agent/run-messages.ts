import type { RunInput } from '../contract/agent-run.js'
import type { ChatMessage } from '../contract/chat-message.js'

/**
 * The conversation that a run begins with: the agent's instructions first, unless the conversation has some already.
 *
 * @throws {TypeError} when the input is neither text nor a list of messages.
 */
export function runMessages(input: RunInput, instructions: string | undefined): readonly ChatMessage[] {
  const messages: readonly ChatMessage[] = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  if (!Array.isArray(messages) || messages.some((message) => typeof message?.role !== 'string')) {
    throw new TypeError('run: the input is neither text nor a list of chat messages')
  }
  const first = messages[0]?.role
  if (instructions === undefined || first === 'system' || first === 'developer') return own(messages)
  return own([{ role: 'system', content: instructions }, ...messages])
}

/** Copies, so that neither the caller nor a planner changes the messages of the other. */
function own(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return Object.freeze(messages.map((message) => Object.freeze({ ...message })))
}
