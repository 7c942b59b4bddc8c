import { AIMessage, ToolMessage } from '@langchain/core/messages'
import { DynamicStructuredTool, type ToolRunnableConfig } from '@langchain/core/tools'
import type { CallableTools, CallResponse, FrameworkOptions, ToolAdapter } from './framework-options.js'
import { argumentsText, type FrameworkTool, frameworkTools, malformedArguments } from './framework-tools.js'
import { textForModel, toldUpdates, toolAnswer } from './tool-answer.js'

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

/**
 * The tools of an agent, toolset or session as tools of LangChain. LangChain lets all arguments pass: the tool's own codec
 * says what is wrong with them, and the model reads what `renderForModel` says, in a `ToolMessage` whose status is `error`
 * where the call failed and whose artifact is the answer as data. Updates of streaming tools are events of the tool's run.
 * The abort signal and the tool call id are those of the config.
 *
 * `context` is what calls run with, or a function of the config of a call (`configurable`, `context`, `metadata`). `strict`
 * is for models of OpenAI, with `bindTools(tools, { strict: true })`; default false.
 *
 * @throws {TypeError} where `only` names a tool that there is not, or server-owned fields cannot be filled.
 *
 * @example
 * const tools = langChainTools(support, { context: ({ configurable }) => ({ sessionId: configurable?.thread_id }) })
 * const agent = createAgent({ model, tools })
 */
export const langChainTools: ToolAdapter<ToolRunnableConfig, DynamicStructuredTool[]> = (
  tools: CallableTools<never>,
  options: FrameworkOptions<ToolRunnableConfig> = {},
  // It asks nobody: without types one could say that it does.
) => frameworkTools(tools, { ...options, approvals: 'env' }).map(langChainTool)

function langChainTool(made: FrameworkTool<ToolRunnableConfig>): DynamicStructuredTool {
  const { spec } = made
  const callOf = (input: unknown, asked: ToolRunnableConfig) => ({
    asked,
    arguments: argumentsText(input),
    toolCallId: asked.toolCall?.id,
    signal: asked.signal,
  })
  const answer = async (input: unknown, asked: ToolRunnableConfig) =>
    told(await made.call(callOf(input, asked)), spec.toolName, asked)
  const stream = async function* (input: unknown, asked: ToolRunnableConfig) {
    const answered = yield* toldUpdates((onUpdate) => made.call({ ...callOf(input, asked), onUpdate }))
    return told(answered, spec.toolName, asked)
  }
  return new LenientTool({
    name: spec.toolName,
    description: spec.description,
    schema: JSON.parse(made.schema),
    func: (input, _, config = {}) => (spec.updates === undefined ? answer(input, config) : stream(input, config)),
  })
}

/** A message where LangChain answers a model's call; whoever calls the tool by hand gets the text. */
function told(answered: CallResponse, name: string, { toolCall }: ToolRunnableConfig): ToolMessage | string {
  const content = textForModel(answered)
  if (toolCall?.id === undefined) return content
  return new ToolMessage({
    content,
    name,
    tool_call_id: toolCall.id,
    status: answered.status === 'failed' ? 'error' : 'success',
    artifact: toolAnswer(answered),
  })
}

type Input = Parameters<DynamicStructuredTool['invoke']>[0]

/**
 * A tool whose schema is for models to read. LangChain would answer arguments that break it by itself, with a sentence that
 * does not say what is wrong: where it compares them, it is shown a schema of which everything is a value.
 */
class LenientTool extends DynamicStructuredTool {
  override call(input: Input, config?: ToolRunnableConfig, tags?: string[]): Promise<any> {
    // A schema of its own each time: the validator writes into it.
    const takesAll: this = Object.create(this, { schema: { value: {} } })
    return super.call.call(takesAll, input, config, tags)
  }
}
