import {
  type JSONSchema7,
  jsonSchema,
  type Tool,
  type ToolCallRepairFunction,
  type ToolExecutionOptions,
  type ToolSet,
  tool,
} from 'ai'
import type { JsonValue } from '../types/json.js'
import type { ApprovingAdapter, CallableTools, FrameworkOptions } from './framework-options.js'
import { argumentsText, type FrameworkTool, frameworkTools, malformedArguments } from './framework-tools.js'
import { type ToolOutput, textOfAnswer, toldUpdates, toolAnswer } from './tool-answer.js'

/** The output of a tool: how the call ended, and before that, as preliminary output, each update of a streaming tool. */
export type AiSdkOutput = ToolOutput | { readonly status: 'update'; readonly update: JsonValue }

/** What `generateText`, `streamText` and agents of the SDK take as `tools`, by tool name. */
export type AiSdkTools = Record<string, Tool<unknown, AiSdkOutput>>

/**
 * The tools of an agent, toolset or session as tools of the Vercel AI SDK. The SDK lets all arguments pass: the tool's own
 * codec says what is wrong with them, and the model reads what `renderForModel` says, with the part `error-text` where the
 * call failed. Updates of streaming tools are preliminary results. The abort signal and the tool call id are the SDK's.
 *
 * `context` is what calls run with, or a function of the SDK's options of a call (`experimental_context`, `messages`).
 * With `approvals: 'framework'` tools whose design declares a confirmation have `needsApproval`. `strict` is for models of
 * OpenAI; default false.
 *
 * @throws {TypeError} where `only` names a tool that there is not, or server-owned fields cannot be filled.
 *
 * @example
 * const tools = aiSdkTools(support, { context: { sessionId: 's-1' } })
 * const { text } = await generateText({ model, tools, stopWhen: stepCountIs(5), prompt: 'Where is order A-1001?' })
 */
export const aiSdkTools: ApprovingAdapter<ToolExecutionOptions, AiSdkTools> = (
  tools: CallableTools<never>,
  options: FrameworkOptions<ToolExecutionOptions> = {},
) => Object.fromEntries(frameworkTools(tools, options).map((each) => [each.spec.toolName, aiSdkTool(each)]))

function aiSdkTool(made: FrameworkTool<ToolExecutionOptions>): AiSdkTools[string] {
  const { spec, isStrict, needsApproval } = made
  const schema: JSONSchema7 = JSON.parse(made.schema)
  return tool<unknown, AiSdkOutput>({
    description: spec.description,
    title: spec.title,
    // Without a `validate` the SDK takes whatever was sent.
    inputSchema: jsonSchema(schema),
    ...(isStrict && { strict: true }),
    ...(!isStrict && spec.examples.length > 0 && { inputExamples: spec.examples.map((input) => ({ input })) }),
    ...(needsApproval && { needsApproval: (input: unknown) => needsApproval(argumentsText(input)) }),
    execute: spec.updates === undefined ? answering(made) : streaming(made),
    toModelOutput: ({ output }) => ({
      type: isFailed(output) ? 'error-text' : 'text',
      value: textOfAnswer(output),
    }),
  })
}

function answering(made: FrameworkTool<ToolExecutionOptions>) {
  return async (input: unknown, asked: ToolExecutionOptions): Promise<AiSdkOutput> =>
    toolAnswer(await made.call(callOf(input, asked)))
}

function streaming(made: FrameworkTool<ToolExecutionOptions>) {
  return async function* (input: unknown, asked: ToolExecutionOptions): AsyncGenerator<AiSdkOutput> {
    const updates = toldUpdates((onUpdate) => made.call({ ...callOf(input, asked), onUpdate }))
    let next = await updates.next()
    while (next.done !== true) {
      yield { status: 'update', update: next.value }
      next = await updates.next()
    }
    yield toolAnswer(next.value)
  }
}

function callOf(input: unknown, asked: ToolExecutionOptions) {
  return { asked, arguments: argumentsText(input), toolCallId: asked.toolCallId, signal: asked.abortSignal }
}

/** Reads what may have come from a client: messages are kept there. */
function isFailed(output: unknown): boolean {
  return typeof output === 'object' && output !== null && 'status' in output && output.status === 'failed'
}

/**
 * Hands arguments that are no JSON to the tools themselves, which answer with what is wrong, through their layers and with
 * an outcome as for any other call. Without it the SDK answers by itself. Give it as `experimental_repairToolCall`.
 *
 * @param tools what `aiSdkTools` made; calls of other tools are left to the SDK
 *
 * @example
 * const tools = aiSdkTools(support)
 * await generateText({ model, tools, prompt, experimental_repairToolCall: keepMalformed(tools) })
 */
export function keepMalformed(tools: ToolSet): ToolCallRepairFunction<ToolSet> {
  return async ({ toolCall }) => {
    if (!Object.hasOwn(tools, toolCall.toolName)) return null
    return { ...toolCall, input: JSON.stringify(malformedArguments(toolCall.input)) }
  }
}
