import { AIMessage } from '@langchain/core/messages'
import { malformedArguments } from '../framework/malformed-arguments.js'

/**
 * Hands arguments that are no JSON to the tools themselves, which answer with what is wrong, through their layers and with
 * an outcome as for any other call. Without it LangChain sets such calls aside, and an agent that has no other ends. Put it
 * around the model, in a middleware of your own.
 *
 * @param tools what `langChainTools` made; calls of other tools stay aside
 *
 * @example
 * const kept = keepMalformed(tools)
 * const middleware = [createMiddleware({ name: 'kept', wrapModelCall: async (request, ask) => kept(await ask(request)) })]
 */
export function keepMalformed(
  tools: readonly { readonly name: string }[],
): <Answer>(answer: Answer) => Answer | AIMessage {
  const names = new Set(tools.map(({ name }) => name))
  return (message) => {
    // A middleware may have answered in the model's place, with a command.
    if (!AIMessage.isInstance(message)) return message
    const { tool_calls: calls = [], invalid_tool_calls: invalid = [] } = message
    const kept = invalid.filter(({ name }) => name !== undefined && names.has(name))
    if (kept.length === 0) return message
    const { content, id, name, additional_kwargs, response_metadata, usage_metadata } = message
    return new AIMessage({
      content,
      additional_kwargs,
      response_metadata,
      ...(id !== undefined && { id }),
      ...(name !== undefined && { name }),
      ...(usage_metadata !== undefined && { usage_metadata }),
      tool_calls: [
        ...calls,
        ...kept.map(({ id, name = '', args = '' }) => ({
          type: 'tool_call' as const,
          name,
          args: malformedArguments(args),
          ...(id !== undefined && { id }),
        })),
      ],
      invalid_tool_calls: invalid.filter((call) => !kept.includes(call)),
    })
  }
}
