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
 * JSON type of the declared result. `Declared` is the union of the declared failures.
 */
export type AiSdkOutput<
  Result = JsonValue,
  Declared extends TypedFailure = JsonValue extends Result ? TypedFailure : never,
> = ToolOutput<Result, Declared> | { readonly status: 'update'; readonly update: JsonValue }

/**
 * Data that the AI SDK passes with a tool call. Version 6 of the SDK passes its option `experimental_context`. Version 7 passes the value for this
 * tool in the option `toolsContext`, as `context`.
 */
export interface AiSdkCall {
  readonly toolCallId: string
  /** Messages that the model had received before the call. */
  readonly messages: ModelMessage[]
  readonly abortSignal?: AbortSignal
  readonly experimental_context?: unknown
  readonly context?: unknown
}

/**
 * Tools by name, for `generateText`, `streamText` and agents of the AI SDK. `Tools` is the generated type of an agent's tools, such as
 * `SupportTools`. `InferUITools<AiSdkTools<SupportTools>>` contains the types that the design declares for the inputs and outputs of the tools.
 * Without a type argument, the type of inputs is `unknown`, and the type of results is `JsonValue`.
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
 * Converts the tools of an agent, toolset or session to tools of the Vercel AI SDK. The runtime validates the arguments of each call. The model
 * receives the text that `renderForModel` returns. A failed call has an output of the type `error-text`. A result with files has the type
 * `content`. Updates of streaming tools become preliminary results in the SDK. The runtime uses the SDK's abort signal and tool call id.
 *
 * The option `context` contains the options of calls, for example `sessionId`. `context` can also be a function that returns these options. The
 * function receives the data that the SDK passes with the call: `messages`, and `context` (version 7) or `experimental_context` (version 6).
 * With `approvals: 'framework'`, a tool has `needsApproval` if its design declares a confirmation. For models of OpenAI, set `strict: true`. By
 * default, `strict` is `false`.
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

/** Version 7 of the SDK prints a warning for the format of version 6, and version 6 does not support the format of version 7. */
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
 * Returns a function for the SDK option `experimental_repairToolCall`. If the arguments of a call are not valid JSON, the function passes
 * the arguments to the tool unchanged. The model then receives a failure that describes the problem. Without this option, the SDK itself
 * responds to invalid JSON.
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
 * Returns an executor that runs existing tools of the Vercel AI SDK. Use the executor for a toolset that `toolgen import module` created,
 * or that the design passes to `fromExecutor`. Each tool of the design runs the function `execute` of the SDK tool with the same name.
 * `execute` receives `toolCallId`, `abortSignal` and the properties of `options`. `messages` is empty by default, because the runtime does
 * not store the messages. If `execute` yields several values, the last value is the result.
 *
 * A call fails if the SDK tool has no `execute`. A call also fails if the SDK tool needs approval, but the design declares no confirmation.
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
 * Returns a function for the option `prepareStep` of the SDK. Each step offers `search_tools`, `read_result` (if present), the tools in `keep`, and
 * all tools that earlier steps found or called. The SDK sends the definitions in the order of `tools`. A newly found tool can precede other tools,
 * and then invalidates prompt caches.
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
