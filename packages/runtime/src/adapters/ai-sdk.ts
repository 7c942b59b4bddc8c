import * as sdk from 'ai'
import {
  asSchema,
  type JSONSchema7,
  jsonSchema,
  type ModelMessage,
  type Tool,
  type ToolCallRepairFunction,
  type ToolSet,
  tool,
} from 'ai'
import { contentOf, type FilePart, shownContent } from '../call/content.js'
import { peek } from '../call/tool-failure.js'
import {
  keptNames,
  LoadedTools,
  type LoadToolsOptions,
  offeredTools,
  searchToolName,
} from '../tool-search/loaded-tools.js'
import type { ExecutorRequest, ToolExecutor } from '../types/executor.js'
import type { TypedFailure } from '../types/failure.js'
import type { JsonValue } from '../types/json.js'
import type { MetaField, ToolDescriptor } from '../types/tool.js'
import { frameworkExecutor } from './framework-executor.js'
import type { ApprovingAdapter, CallableTools, Conversion, FrameworkOptions } from './framework-options.js'
import { type FrameworkTool, frameworkTools } from './framework-tools.js'
import { type JsonForm, malformedArguments, type ToolOutput, textOfOutput, toolOutput } from './tool-output.js'

/**
 * Output of a tool in the AI SDK. A streaming tool yields each update as a preliminary output, and then its final output. `Result` is the
 * JSON form of the result that the design declares. `Declared` is the union of the declared failures.
 */
export type AiSdkOutput<
  Result = JsonValue,
  Declared extends TypedFailure = JsonValue extends Result ? TypedFailure : never,
> = ToolOutput<Result, Declared> | { readonly status: 'update'; readonly update: JsonValue }

/** Data of the AI SDK about a call. `experimental_context` exists in version 6, `context` in version 7 (the option `toolsContext`). */
export interface AiSdkCall {
  readonly toolCallId: string
  /** Messages that the model received before it made the call. */
  readonly messages: ModelMessage[]
  readonly abortSignal?: AbortSignal
  readonly experimental_context?: unknown
  readonly context?: unknown
}

/**
 * Tool name → tool, for `generateText`, `streamText` and agents of the AI SDK. `Tools` is the generated type of an
 * agent's tools, such as `SupportTools`: `InferUITools<AiSdkTools<SupportTools>>` has the inputs and outputs of the
 * design. Without this type argument, inputs and results have any type.
 */
export type AiSdkTools<Tools = unknown> = unknown extends Tools
  ? Record<string, Tool<unknown, AiSdkOutput>>
  : {
      [Name in keyof Tools]: Tools[Name] extends ToolDescriptor<
        infer Arguments,
        unknown,
        infer Result,
        MetaField,
        infer Declared
      >
        ? Tool<JsonForm<Arguments>, AiSdkOutput<JsonForm<Result>, Declared>>
        : never
    }

interface AiSdkConversion extends Conversion {
  readonly made: AiSdkTools<this['tools']>
}

/**
 * Converts the tools of an agent, toolset or session to tools of the Vercel AI SDK. The runtime validates the arguments of each call. The
 * model receives the text of `renderForModel`, as `error-text` if the call failed, and files as `content`. Updates of
 * streaming tools are preliminary results. The
 * SDK provides the abort signal and the tool call id.
 *
 * `context` contains the options of calls. It can be a function that returns these options; the function receives the SDK's options of the
 * call (`messages`; `context` in version 7, `experimental_context` in version 6). With `approvals: 'framework'`, tools whose design declares a confirmation have
 * `needsApproval`. For models of OpenAI, set `strict: true`; default: `false`.
 *
 * @throws {TypeError} if `only` contains a tool that `tools` does not have, if `context` lacks values for server-owned fields, or if
 * `media` is invalid
 *
 * @example
 * const tools = aiSdkTools(support, { context: { sessionId: 's-1' } })
 * const { text } = await generateText({ model, tools, stopWhen: stepCountIs(5), prompt: 'Where is order A-1001?' })
 */
export const aiSdkTools: ApprovingAdapter<AiSdkCall, AiSdkConversion> = (
  tools: CallableTools<never>,
  options: FrameworkOptions<AiSdkCall> = {},
  // `any`: the types of the adapter are precise.
): any => Object.fromEntries(frameworkTools(tools, options).map((made) => [made.spec.toolName, aiSdkTool(made)]))

function aiSdkTool(made: FrameworkTool<AiSdkCall>): Tool<unknown, AiSdkOutput> {
  const { spec, isStrict, needsApproval } = made
  const schema: JSONSchema7 = JSON.parse(made.schema)
  const callOf = (input: unknown, request: AiSdkCall) => {
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
    toModelOutput: ({ output }) => {
      const value = textOfOutput(output)
      if (peek(output, 'status') === 'failed') return { type: 'error-text', value }
      const { text, parts } = shownContent(value, contentOf(Object(output)) ?? [], made.media)
      if (parts.length === 0) return { type: 'text', value: text }
      return { type: 'content', value: [{ type: 'text', text }, ...parts.map(mediaPart)] }
    },
  })
}

/**
 * Creates a part of a tool result in the form of the installed SDK. Version 7 warns about the form of version 6, and
 * version 6 does not know the form of version 7.
 */
function mediaPart({ type, mediaType, data }: FilePart): MediaPart {
  if ('isStepCount' in sdk) return { type: 'file', mediaType, data: { type: 'data', data } } as unknown as MediaPart
  return { type: type === 'image' ? 'image-data' : 'file-data', mediaType, data }
}

interface MediaPart {
  readonly type: 'image-data' | 'file-data'
  readonly mediaType: string
  readonly data: string
}

/**
 * Returns a function for the option `experimental_repairToolCall` of the SDK. The function passes arguments that are
 * not valid JSON to the tools, so that the model receives a failure that describes the problem. Without this option,
 * the SDK itself responds to such calls.
 *
 * @param tools result of `aiSdkTools`; the function ignores calls of other tools
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
 * Returns an executor that runs existing tools of the Vercel AI SDK. Use it for a toolset that was created by `toolgen import module` or is
 * used with `fromExecutor`. Each tool of the design runs the function `execute` of the SDK tool with the same name. `execute` receives
 * `toolCallId`, `abortSignal` and `options`. `messages` is empty by default, because the runtime does not know the messages. If `execute`
 * yields several values, the last value is the result.
 *
 * A tool without `execute` fails when it is called. A tool that needs approval fails if the design declares no confirmation.
 *
 * @example
 * const support = registerSupport(new Runtime(), { toolsets: { support: { executor: aiSdkExecutor(tools) } } })
 */
export function aiSdkExecutor(
  tools: ToolSet,
  options: Partial<Pick<AiSdkCall, 'messages' | 'experimental_context' | 'context'>> = {},
): ToolExecutor {
  const entries = Object.entries(tools).map(([name, tool]) => ({ name, tool, schema: checkOf(tool) }))
  const callOf = ({ meta: { toolCallId, signal } }: ExecutorRequest): AiSdkCall => {
    return { messages: [], ...options, toolCallId, abortSignal: signal }
  }
  return frameworkExecutor<ToolSet[string]>(
    entries,
    async ({ execute }, payload, request) => {
      if (execute === undefined)
        throw new Error(`Cannot run '${request.tool.id}': its AI SDK tool has no \`execute\` function.`)
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

/**
 * Returns a function for the option `prepareStep` of the SDK. Each step offers `search_tools`, the tools of `keep`, and the tools that
 * earlier steps have found or called. The SDK sends the definitions in the order of `tools`, so a new definition can invalidate prompt caches.
 *
 * @param tools result of `aiSdkTools` for an agent with `useToolSearch`
 * @throws {TypeError} if `tools` has no `search_tools`, or if `keep` contains an unknown name
 * @example
 * const tools = aiSdkTools(support)
 * await generateText({ model, tools, prepareStep: loadTools(tools, { keep: ['orders_getOrder'] }), stopWhen: stepCountIs(9), prompt })
 */
export function loadTools(
  tools: Readonly<Record<string, unknown>>,
  options: LoadToolsOptions = {},
): (step: { readonly messages: readonly ModelMessage[] }) => { activeTools: string[] } {
  const names = Object.keys(tools)
  const keep = keptNames(names, options)
  const isKept = (name: string): boolean => keep.has(name)
  return ({ messages }) => ({
    activeTools: [...offeredTools(names, { nameOf: (name) => name, isKept, loaded: loadedBy(messages) })],
  })
}

function loadedBy(messages: readonly ModelMessage[]): LoadedTools {
  const loaded = new LoadedTools()
  for (const { content } of messages) {
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type === 'tool-call') loaded.call(part.toolName)
      if (part.type !== 'tool-result' || part.toolName !== searchToolName) continue
      if (part.output.type === 'text') loaded.found(part.output.value)
    }
  }
  return loaded
}
