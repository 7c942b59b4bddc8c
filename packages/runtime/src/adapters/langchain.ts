import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { DynamicStructuredTool, type StructuredToolInterface, type ToolRunnableConfig } from '@langchain/core/tools'
import { contentForModel, dataUrl, type FilePart } from '../call/content.js'
import {
  keptNames,
  LoadedTools,
  type LoadToolsOptions,
  offeredTools,
  searchToolName,
} from '../tool-search/loaded-tools.js'
import type { ToolExecutor } from '../types/executor.js'
import { frameworkExecutor } from './framework-executor.js'
import type { CallableTools, CallResponse, FrameworkOptions, ToolAdapter } from './framework-options.js'
import { type FrameworkTool, frameworkTools } from './framework-tools.js'
import { malformedArguments, toolOutput } from './tool-output.js'

/**
 * Returns a function for a LangChain middleware. Apply the function to the model's response. If the arguments of a call are not valid JSON, the
 * function passes the arguments to the tool. The model receives a failure that describes the problem. Without this function, LangChain ignores calls
 * with invalid JSON, and ends the agent if the response contains no valid call.
 *
 * @param tools result of `langChainTools`; the function ignores calls of other tools
 *
 * @example
 * const kept = keepMalformed(tools)
 * const middleware = [createMiddleware({ name: 'kept', wrapModelCall: async (request, ask) => kept(await ask(request)) })]
 */
export function keepMalformed(
  tools: readonly { readonly name: string }[],
): <Response>(response: Response) => Response | AIMessage {
  const names = new Set(tools.map(({ name }) => name))
  return (message) => {
    // A middleware can return a command instead of a message.
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
 * Converts the tools of an agent, toolset or session to tools of LangChain. The runtime validates the arguments of each call. The model receives a
 * `ToolMessage` with the text of `renderForModel`. If the call failed, the message has the `status` `error`. The `artifact` of the message contains
 * the output as data. Updates of streaming tools become events in the LangChain run of the tool. The runtime uses the abort signal and the tool call
 * id in the LangChain config of the call. If LangChain's human-in-the-loop middleware changes the arguments of a call, `provenance.approval` of the
 * outcome does not contain the change.
 *
 * The option `context` contains the options of calls, for example `sessionId`. `context` can also be a function that returns these options. The
 * function receives the config of the call (`configurable`, `context`, `metadata`). For models of OpenAI, set `strict: true` and use
 * `bindTools(tools, { strict: true })`. By default, `strict` is `false`.
 *
 * @throws {TypeError} if `only` contains a tool that `tools` does not have, if `context` lacks values for server-owned fields, or if `media` is
 * invalid
 *
 * @example
 * const tools = langChainTools(support, { context: ({ configurable }) => ({ sessionId: configurable?.thread_id }) })
 * const agent = createAgent({ model, tools })
 */
export const langChainTools: ToolAdapter<ToolRunnableConfig, DynamicStructuredTool[]> = (
  tools: CallableTools<never>,
  options: FrameworkOptions<ToolRunnableConfig> = {},
  // LangChain cannot ask for approval, even if untyped code requests it.
) => frameworkTools(tools, { ...options, approvals: 'env' }).map(langChainTool)

function langChainTool(made: FrameworkTool<ToolRunnableConfig>): DynamicStructuredTool {
  const { spec } = made
  const media = { types: [], ...made.media }
  const callOf = (input: unknown, request: ToolRunnableConfig) => {
    return { request, input, toolCallId: request.toolCall?.id, signal: request.signal }
  }
  // Returns a message for a call by a model, and the text for a direct call of the tool.
  const output = (response: CallResponse, { toolCall }: ToolRunnableConfig): ToolMessage | string => {
    const { text, parts } = contentForModel(response, media)
    if (toolCall?.id === undefined) return text
    const content = parts.length === 0 ? text : [{ type: 'text' as const, text }, ...parts.map(contentBlock)]
    const status = response.status === 'failed' ? 'error' : 'success'
    const artifact = toolOutput(response)
    return new ToolMessage({ content, name: spec.toolName, tool_call_id: toolCall.id, status, artifact })
  }
  const call = async (input: unknown, config: ToolRunnableConfig) =>
    output(await made.call(callOf(input, config)), config)
  const stream = async function* (input: unknown, config: ToolRunnableConfig) {
    return output(yield* made.stream(callOf(input, config)), config)
  }
  return new LenientTool({
    name: spec.toolName,
    description: spec.description,
    schema: JSON.parse(made.schema),
    func: (input, _, config = {}) => (spec.updates === undefined ? call(input, config) : stream(input, config)),
  })
}

function contentBlock(part: FilePart) {
  const { type, mediaType, data } = part
  if (type === 'image') return { type: 'image_url' as const, image_url: { url: dataUrl(part) } }
  return { type, mimeType: mediaType, data }
}

type Input = Parameters<DynamicStructuredTool['invoke']>[0]

/** LangChain does not validate the arguments of this tool, because its validation errors do not describe the problem. The runtime validates them. */
class LenientTool extends DynamicStructuredTool {
  override call(input: Input, config?: ToolRunnableConfig, tags?: string[]): Promise<any> {
    // Each call gets a new schema object, because LangChain's validator changes the object.
    const lenient: this = Object.create(this, { schema: { value: {} } })
    return super.call.call(lenient, input, config, tags)
  }
}

/**
 * Returns an executor that runs existing tools of LangChain. Use the executor for a toolset that `toolgen import module` created, or that
 * the design passes to `fromExecutor`. Each tool of the design calls `invoke` of the LangChain tool with the same name.
 *
 * @param config LangChain config for all calls; the runtime adds `signal`
 *
 * @example
 * const support = registerSupport(new Runtime(), { toolsets: { support: { executor: langChainExecutor([getOrder]) } } })
 */
export function langChainExecutor(
  tools: readonly StructuredToolInterface[],
  config: Omit<ToolRunnableConfig, 'signal' | 'toolCall'> = {},
): ToolExecutor {
  return frameworkExecutor(
    tools.map((tool) => ({ name: tool.name, tool, schema: tool.schema })),
    (tool, payload, { meta: { signal } }) => tool.invoke(Object(payload), { ...config, signal }),
  )
}

/**
 * Returns a function for a LangChain middleware. Apply the function to each model request. Each request then offers `search_tools`, `read_result`
 * (if present), the tools in `keep`, and all tools that earlier messages found or called. Newly found tools are the last tools of the request. If a
 * request has tools that are not in `tools`, the request keeps them.
 *
 * @param tools result of `langChainTools` for an agent with `useToolSearch`
 * @throws {TypeError} if `tools` has no `search_tools`, or if `keep` contains an unknown name
 * @example
 * const load = loadTools(tools, { keep: ['orders_getOrder'] })
 * const middleware = [createMiddleware({ name: 'tool search', wrapModelCall: (request, ask) => ask(load(request)) })]
 */
export function loadTools(
  tools: readonly { readonly name: string }[],
  options: LoadToolsOptions = {},
): <Request extends { readonly messages: readonly BaseMessage[]; readonly tools: readonly unknown[] }>(
  request: Request,
) => Request {
  const keep = keptNames(
    tools.map(({ name }) => name),
    options,
  )
  const own = new Set<unknown>(tools)
  const nameOf = (tool: unknown): string => String(Object(tool).name)
  const isKept = (tool: unknown): boolean => !own.has(tool) || keep.has(nameOf(tool))
  return (request) => {
    const offered = offeredTools(request.tools, { nameOf, isKept, loaded: loadedBy(request.messages) })
    return { ...request, tools: [...offered] }
  }
}

function loadedBy(messages: readonly BaseMessage[]): LoadedTools {
  const loaded = new LoadedTools()
  for (const message of messages) {
    if (AIMessage.isInstance(message)) for (const { name } of message.tool_calls ?? []) loaded.call(name)
    if (ToolMessage.isInstance(message) && message.name === searchToolName) loaded.found(message.text)
  }
  return loaded
}
