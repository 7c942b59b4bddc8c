import type { ChatMessage } from '../../contract/chat-message.js'
import type { AgentToolSpec } from '../../contract/spec.js'
import type { AskAgain } from '../loop.js'

/** How an agent is asked once for the result of its tool as JSON, where it answered in prose. */
export function askForJson({ name, result }: AgentToolSpec): AskAgain {
  const question: ChatMessage = {
    role: 'user',
    content: `Answer with JSON that fits this JSON Schema, and with nothing else: ${JSON.stringify(result)}`,
  }
  return { question, form: { name, schema: result } }
}
