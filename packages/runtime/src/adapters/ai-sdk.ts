import {
  asSchema,
  type JSONSchema7,
  jsonSchema,
  type Tool,
  type ToolCallRepairFunction,
  type ToolExecutionOptions,
  type ToolSet,
  tool,
} from 'ai'
import { peek } from '../call/tool-failure.js'
import type { ExecutorRequest, ToolExecutor } from '../types/executor.js'
import type { JsonValue } from '../types/json.js'
import { frameworkExecutor } from './framework-executor.js'
import type { ApprovingAdapter, CallableTools, FrameworkOptions } from './framework-options.js'
import { type FrameworkTool, frameworkTools } from './framework-tools.js'
import { malformedArguments, type ToolOutput, textOfOutput, toolOutput } from './tool-output.js'

/** Output of a tool. A streaming tool first yields each update as preliminary output. */
export type AiSdkOutput = ToolOutput | { readonly status: 'update'; readonly update: JsonValue }

/** Tools by tool name, for `generateText`, `streamText` and agents of the SDK. */
export type AiSdkTools = Record<string, Tool<unknown, AiSdkOutput>>

/**
 * Converts the tools of an agent, toolset or session to tools of the Vercel AI SDK. The tool's codec validates the
 * arguments. The model receives the text of `renderForModel`, as `error-text` if the call failed. Updates of streaming
 * tools are preliminary results. The abort signal and the tool call id come from the SDK.
 *
 * `context` contains the options of calls, or is a function that receives the SDK's options of a call
 * (`experimental_context`, `messages`). With `approvals: 'framework'`, tools whose design declares a confirmation have
 * `needsApproval`. Set `strict` for models of OpenAI; default: `false`.
 *
 * @throws {TypeError} if `only` names an unknown tool, or server-owned fields cannot be filled
 *
 * @example
 * const tools = aiSdkTools(support, { context: { sessionId: 's-1' } })
 * const { text } = await generateText({ model, tools, stopWhen: stepCountIs(5), prompt: 'Where is order A-1001?' })
 */
export const aiSdkTools: ApprovingAdapter<ToolExecutionOptions, AiSdkTools> = (
  tools: CallableTools<never>,
  options: FrameworkOptions<ToolExecutionOptions> = {},
) => Object.fromEntries(frameworkTools(tools, options).map((made) => [made.spec.toolName, aiSdkTool(made)]))

function aiSdkTool(made: FrameworkTool<ToolExecutionOptions>): AiSdkTools[string] {
  const { spec, isStrict, needsApproval } = made
  const schema: JSONSchema7 = JSON.parse(made.schema)
  const callOf = (input: unknown, request: ToolExecutionOptions) => {
    return { request, input, toolCallId: request.toolCallId, signal: request.abortSignal }
  }
  return tool<unknown, AiSdkOutput>({
    description: spec.description,
    title: spec.title,
    // Without `validate` the SDK accepts all arguments.
    inputSchema: jsonSchema(schema),
    ...(isStrict && { strict: true }),
    ...(!isStrict && spec.examples.length > 0 && { inputExamples: spec.examples.map((input) => ({ input })) }),
    ...(needsApproval && { needsApproval }),
    execute:
      spec.updates === undefined
        ? async (input, request) => toolOutput(await made.call(callOf(input, request)))
        : async function* (input, request): AsyncGenerator<AiSdkOutput> {
            const updates = made.stream(callOf(input, request))
            let next = await updates.next()
            for (; next.done !== true; next = await updates.next()) yield { status: 'update', update: next.value }
            yield toolOutput(next.value)
          },
    // The output may come from a client that sent it back, so it must be validated.
    toModelOutput: ({ output }) => ({
      type: peek(output, 'status') === 'failed' ? 'error-text' : 'text',
      value: textOfOutput(output),
    }),
  })
}

/**
 * Passes arguments that are not JSON to the tools, so that the model receives a failure that describes the problem.
 * Without it, the SDK responds to such calls itself. Use it as `experimental_repairToolCall`.
 *
 * @param tools result of `aiSdkTools`; the SDK handles calls of other tools
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

/**
 * Returns an executor that runs existing tools of the Vercel AI SDK by their `execute`, for a toolset of `toolgen import module`
 * or `fromExecutor`. A tool of the design runs the tool of its name. `execute` receives `toolCallId`, `abortSignal` and
 * `options`; `messages` are empty by default, because the runtime does not know them. Of several values that `execute` yields,
 * the last one is the result.
 *
 * A tool without `execute` fails when it is called. A tool that needs approval fails if the design declares no confirmation.
 *
 * @example
 * const support = registerSupport(new Runtime(), { toolsets: { support: { executor: aiSdkExecutor(tools) } } })
 */
export function aiSdkExecutor(
  tools: ToolSet,
  options: Partial<Pick<ToolExecutionOptions, 'messages' | 'experimental_context'>> = {},
): ToolExecutor {
  const entries = Object.entries(tools).map(([name, tool]) => ({ name, tool, schema: checkOf(tool) }))
  const callOf = ({ meta: { toolCallId, signal } }: ExecutorRequest): ToolExecutionOptions => {
    return { messages: [], ...options, toolCallId, abortSignal: signal }
  }
  return frameworkExecutor<ToolSet[string]>(
    entries,
    async ({ execute }, payload, request) => {
      if (execute === undefined) throw new Error(`${request.tool.id} has no \`execute\`: it runs in the client`)
      const output: unknown = await execute(payload, callOf(request))
      if (!isAsyncIterable(output)) return output
      let last: unknown
      for await (last of output);
      return last
    },
    ({ needsApproval }, payload, request) =>
      typeof needsApproval === 'function' ? needsApproval(payload, callOf(request)) : needsApproval,
  )
}

/** Returns the schema of the arguments; of `jsonSchema(...)` and the like its `validate`, if it has one. */
function checkOf({ inputSchema }: ToolSet[string]): unknown {
  if ('~standard' in inputSchema) return inputSchema
  const { validate } = asSchema(inputSchema)
  const check = async (value: unknown) => {
    const result = await validate?.(value)
    return result?.success === false ? { issues: [{ message: result.error.message }] } : { value }
  }
  return validate && { '~standard': { version: 1, vendor: 'ai', validate: check } }
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof Object(value)[Symbol.asyncIterator] === 'function'
}
