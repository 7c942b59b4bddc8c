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
  if (instructions === undefined || first === 'system' || first === 'developer') return [...messages]
  return [{ role: 'system', content: instructions }, ...messages]
}
