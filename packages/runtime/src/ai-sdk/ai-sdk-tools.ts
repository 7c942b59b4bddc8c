import { type JSONSchema7, jsonSchema, type Tool, type ToolExecutionOptions, tool } from 'ai'
import type { JsonValue } from '../contract/json.js'
import type { CallableTools } from '../framework/callable-tools.js'
import type { ApprovingAdapter, FrameworkOptions } from '../framework/framework-options.js'
import type { FrameworkTool } from '../framework/framework-tool.js'
import { frameworkTools } from '../framework/framework-tools.js'
import { argumentsText } from '../framework/malformed-arguments.js'
import { toldUpdates } from '../framework/told-updates.js'
import { type ToolAnswer, textOfAnswer, toolAnswer } from '../framework/tool-answer.js'

/** The output of a tool: how the call ended, and before that, as preliminary output, each update of a streaming tool. */
export type AiSdkAnswer = ToolAnswer | { readonly status: 'update'; readonly update: JsonValue }

/** What `generateText`, `streamText` and agents of the SDK take as `tools`, by wire name. */
export type AiSdkTools = Record<string, Tool<unknown, AiSdkAnswer>>

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
) => Object.fromEntries(frameworkTools(tools, options).map((each) => [each.spec.wireName, aiSdkTool(each)]))

function aiSdkTool(made: FrameworkTool<ToolExecutionOptions>): AiSdkTools[string] {
  const { spec, isStrict, needsApproval } = made
  const schema: JSONSchema7 = JSON.parse(made.schema)
  return tool<unknown, AiSdkAnswer>({
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
  return async (input: unknown, asked: ToolExecutionOptions): Promise<AiSdkAnswer> =>
    toolAnswer(await made.call(callOf(input, asked)))
}

function streaming(made: FrameworkTool<ToolExecutionOptions>) {
  return async function* (input: unknown, asked: ToolExecutionOptions): AsyncGenerator<AiSdkAnswer> {
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
