import { ToolMessage } from '@langchain/core/messages'
import type { DynamicStructuredTool, ToolRunnableConfig } from '@langchain/core/tools'
import type { Answered, CallableTools } from '../framework/callable-tools.js'
import type { FrameworkOptions, ToolAdapter } from '../framework/framework-options.js'
import type { FrameworkTool } from '../framework/framework-tool.js'
import { frameworkTools } from '../framework/framework-tools.js'
import { argumentsText } from '../framework/malformed-arguments.js'
import { toldUpdates } from '../framework/told-updates.js'
import { textForModel, toolAnswer } from '../framework/tool-answer.js'
import { LenientTool } from './lenient-tool.js'

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
    told(await made.call(callOf(input, asked)), spec.wireName, asked)
  const stream = async function* (input: unknown, asked: ToolRunnableConfig) {
    const answered = yield* toldUpdates((onUpdate) => made.call({ ...callOf(input, asked), onUpdate }))
    return told(answered, spec.wireName, asked)
  }
  return new LenientTool({
    name: spec.wireName,
    description: spec.description,
    schema: JSON.parse(made.schema),
    func: (input, _, config = {}) => (spec.updates === undefined ? answer(input, config) : stream(input, config)),
  })
}

/** A message where LangChain answers a model's call; whoever calls the tool by hand gets the text. */
function told(answered: Answered, name: string, { toolCall }: ToolRunnableConfig): ToolMessage | string {
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
