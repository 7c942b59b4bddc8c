import { isConversation } from '../../chat/is-conversation.js'
import type { MessageCompiler } from '../../contract/message-compiler.js'
import type { ModelRequest } from '../../contract/model-driver.js'

/** What models are sent where nobody set anything else: the whole conversation, then what the run added. */
export const plainCompiler: MessageCompiler = ({ conversation, trace }) => [...conversation, ...trace]

/**
 * A request with the messages that a compiler makes of its own. For drivers that take a compiler.
 *
 * @throws what the compiler throws, and `TypeError` where it gives no messages.
 *
 * @example
 * withMessageCompiler: (compiler) => ({ ...driver, ask: async (request) => driver.ask(await compiledRequest(request, compiler)) })
 */
export async function compiledRequest(request: ModelRequest, compiler: MessageCompiler): Promise<ModelRequest> {
  const { messages, meta, tools, runStart: start = messages.length, ...rest } = request
  const conversation = messages.slice(0, start)
  const trace = messages.slice(start)
  const compiled: unknown = await compiler({ conversation, trace, meta, tools })
  if (isConversation(compiled) && compiled.length > 0) return { ...rest, messages: compiled, meta, tools }
  throw new TypeError(
    'a message compiler gave no messages: return a list of chat messages, [...conversation, ...trace]',
  )
}
