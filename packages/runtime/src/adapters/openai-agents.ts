import {
  type FunctionTool,
  RunContext,
  type ToolOutputFileContent,
  type ToolOutputImage,
  type ToolOutputText,
  tool,
} from '@openai/agents'
import { contentForModel, type FilePart, fileName, IMAGE_TYPES } from '../call/content.js'
import { keptNames, LoadedTools, type LoadToolsOptions, searchToolName } from '../tool-search/loaded-tools.js'
import type { ToolExecutor } from '../types/executor.js'
import { frameworkExecutor } from './framework-executor.js'
import type { ApprovingAdapter, CallableTools, FrameworkOptions } from './framework-options.js'
import { type FrameworkTool, frameworkTools } from './framework-tools.js'

/** Function tool of the OpenAI Agents SDK, for agents with any context type. */
// `any`: the agent defines the context, and the codec of the tool validates the arguments.
export type OpenAiAgentsTool = FunctionTool<any, any, OpenAiAgentsOutput>

export type OpenAiAgentsOutput = string | (ToolOutputText | ToolOutputImage | ToolOutputFileContent)[]

type Parameters = Extract<FunctionTool['parameters'], { additionalProperties: true }>

/**
 * Converts the tools of an agent, toolset or session to function tools of the OpenAI Agents SDK. The runtime validates the arguments of each
 * call. The model receives the text of `renderForModel`, followed by images and files. With chat completions, the SDK drops images and files.
 * The runtime uses the SDK's abort signal, and the id of the tool call from the SDK. The SDK does not support updates of streaming tools. To
 * receive updates, set `onEvent` in `context`.
 *
 * The option `context` contains the options of calls, for example `sessionId`. `context` can also be a function that returns these options. The
 * function receives the SDK's run context. With `approvals: 'framework'`, a tool has `needsApproval` if its design declares a confirmation. By
 * default, schemas use strict mode where possible. To disable strict mode, set `strict: false`.
 *
 * @throws {TypeError} if `only` contains a tool that `tools` does not have, if `context` lacks values for server-owned fields, or if
 * `media` is invalid
 *
 * @example
 * const tools = openAiAgentsTools(support, { context: ({ context }: RunContext<User>) => ({ sessionId: context.session }) })
 * const agent = new Agent<User>({ name: 'support', tools })
 */
export const openAiAgentsTools: ApprovingAdapter<RunContext<any>, OpenAiAgentsTool[]> = (
  tools: CallableTools<never>,
  options: FrameworkOptions<RunContext<any>> = {},
) => frameworkTools(tools, { strict: true, ...options }).map(agentsTool)

function agentsTool(made: FrameworkTool<RunContext<any>>): OpenAiAgentsTool {
  const { spec, needsApproval } = made
  const parameters: Parameters = JSON.parse(made.schema)
  // The SDK has no audio in outputs of tools.
  const types = (made.media?.types ?? IMAGE_TYPES).filter((type) => !type.startsWith('audio/'))
  const media = { ...made.media, types }
  const parts = tool<Parameters, any, OpenAiAgentsOutput>({
    name: spec.toolName,
    description: spec.description,
    parameters,
    // With `true`, the SDK would change the schema and remove nulls from arguments.
    strict: false,
    ...(needsApproval && { needsApproval: async (_: RunContext, input: unknown) => needsApproval(input) }),
    execute: async (input, request = new RunContext(), { toolCall, signal } = {}): Promise<OpenAiAgentsOutput> => {
      const response = await made.call({ request, input, toolCallId: toolCall?.callId, signal })
      const { text, parts } = contentForModel(response, media)
      if (parts.length === 0) return text
      return [{ type: 'text', text }, ...parts.map(outputPart)]
    },
  })
  // The SDK replaces `-` in names, so the name is set again.
  return { ...parts, name: spec.toolName, strict: made.isStrict }
}

function outputPart(part: FilePart): ToolOutputImage | ToolOutputFileContent {
  const { type, data, mediaType } = part
  if (type === 'image') return { type, image: { data, mediaType } }
  return { type: 'file', file: { data, mediaType, filename: fileName(part) } }
}

/** Text that the SDK's default `errorFunction` returns if `execute` of a function tool throws. */
const defaultError = 'An error occurred while running the tool. Please try again.'

/**
 * Returns an executor that runs existing function tools of the OpenAI Agents SDK. Use the executor for a toolset that `toolgen import
 * module` created, or that the design passes to `fromExecutor`. Each tool of the design calls `invoke` of the SDK tool with the same name.
 * By default, the SDK converts an error of a tool to a text, and the call fails with the reason `internal`. If a tool has `errorFunction:
 * null`, the runtime receives and classifies the tool's errors.
 *
 * A call fails if the SDK tool needs approval, but the design declares no confirmation.
 *
 * @param context SDK context of all calls; tools receive this context in their `RunContext`
 *
 * @example
 * const support = registerSupport(new Runtime(), { toolsets: { support: { executor: openAiAgentsExecutor([getOrder]) } } })
 */
// `any`: the tools may have any contexts and parameters; the codecs of the design check arguments and results.
export function openAiAgentsExecutor(tools: readonly FunctionTool<any, any, any>[], context?: unknown): ToolExecutor {
  return frameworkExecutor(
    tools.map((tool) => ({ name: tool.name, tool, schema: tool.parameters })),
    async (tool, payload, { meta: { toolCallId: callId, signal } }) => {
      const input = JSON.stringify(payload)
      const toolCall = { type: 'function_call', callId, name: tool.name, arguments: input } as const
      const result: unknown = await tool.invoke(new RunContext(context), input, { toolCall, signal })
      if (result === defaultError) throw new Error(`${tool.name}: the SDK reported an error without its cause`)
      return result
    },
    (tool, payload, { meta }) => tool.needsApproval(new RunContext(context), payload, meta.toolCallId),
  )
}

/**
 * Returns `tools` with the SDK option `isEnabled`. Each model request then offers only `search_tools`, `read_result` (if present), the tools in
 * `keep`, and all tools that a search of the same run found. The SDK sends the definitions in the order of `tools`. A newly found tool can precede
 * other tools, and then invalidates prompt caches. The SDK does not pass the conversation to `isEnabled`. At the start of each run, the model
 * therefore sees no tools of earlier searches, even if the run continues from a stored state.
 *
 * @param tools result of `openAiAgentsTools` for an agent with `useToolSearch`
 * @throws {TypeError} if `tools` has no `search_tools`, or if `keep` contains an unknown name
 * @example const agent = new Agent({ name: 'support', tools: loadTools(openAiAgentsTools(support), { keep: ['orders_getOrder'] }) })
 */
export function loadTools(tools: readonly OpenAiAgentsTool[], options: LoadToolsOptions = {}): OpenAiAgentsTool[] {
  const keep = keptNames(
    tools.map(({ name }) => name),
    options,
  )
  const byRun = new WeakMap<RunContext, LoadedTools>()
  return tools.map((each): OpenAiAgentsTool => {
    if (each.name === searchToolName) {
      const invoke: OpenAiAgentsTool['invoke'] = async (context, input, details) => {
        const output = await each.invoke(context, input, details)
        const loaded = byRun.get(context) ?? new LoadedTools()
        byRun.set(context, loaded)
        if (typeof output === 'string') loaded.found(output)
        return output
      }
      return { ...each, invoke }
    }
    if (keep.has(each.name)) return each
    return { ...each, isEnabled: async (context) => byRun.get(context)?.names.has(each.name) === true }
  })
}
