import { isConversation } from '../chat/messages.js'
import type { MessageCompiler, ModelDriver, ModelRequest } from '../types/planner.js'

/**
 * Returns a copy of `request` with the messages that the message compiler returns. A message compiler creates the messages of a model request from
 * the conversation. Use this function in your own driver to support message compilers.
 *
 * @throws the errors of the compiler, and a `TypeError` if the compiler does not return chat messages.
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
    'A message compiler must return an array of chat messages, for example [...conversation, ...trace].',
  )
}

interface DriverNames {
  readonly name: string
  readonly provider?: string | undefined
  readonly model?: string | undefined
}

export function namedDriver({ name, provider, model }: DriverNames, ask: ModelDriver['ask']): ModelDriver {
  return { name, ...(provider !== undefined && { provider }), ...(model !== undefined && { model }), ask }
}

export function compilingDriver(names: DriverNames, ask: ModelDriver['ask']): ModelDriver {
  return {
    ...namedDriver(names, ask),
    withMessageCompiler: (compiler) =>
      namedDriver(names, async (request) => ask(await compiledRequest(request, compiler))),
  }
}
