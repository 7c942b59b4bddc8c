import { OpenAI } from 'openai'
import { type AgentBuilder, base as plainBase, standard as plainStandard } from '../agents/agent-builder.js'
import { assistantMessage, compiledRequest, ModelResponseError, messageText } from '../agents/planner.js'
import { classify, responseHeader, withMeaning } from '../call/classify.js'
import { sleep } from '../call/timers.js'
import { peek } from '../call/tool-failure.js'
import { ReplyAccumulator } from '../chat/replies.js'
import { openAiTool } from '../projections/openai.js'
import { strictProjection } from '../projections/openai-strict.js'
import { argumentRestorer } from '../projections/restore-arguments.js'
import { plainSchema } from '../projections/schemas.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { ChatFields } from '../types/chat.js'
import type { JsonSchemaObject, JsonText } from '../types/json.js'
import type { FailureReason } from '../types/outcome.js'
import type {
  MessageCompiler,
  ModelCall,
  ModelDriver,
  ModelRequest,
  ModelResponse,
  ResponseFormat,
  RunMeta,
  TokenUsage,
} from '../types/planner.js'
import type { AgentToolSpec } from '../types/tool.js'
import { vendorRules } from './vendor-errors.js'

/** Request of chat completions. */
type CompletionRequest = OpenAI.Chat.Completions.ChatCompletionCreateParamsNonStreaming

/** Part of a streamed response, as the server sent it. */
type CompletionDelta = OpenAI.Chat.Completions.ChatCompletionChunk.Choice.Delta

/** Fields that the driver sets, and deprecated ones. */
type OwnField = 'messages' | 'model' | 'tools' | 'stream' | 'functions' | 'function_call'

/**
 * Other fields of a request: `temperature`, `seed`, `tool_choice`, `parallel_tool_calls`, `max_completion_tokens` and so on.
 * They are sent unchanged, with two exceptions: a request without tools has no `tool_choice` and no `parallel_tool_calls`,
 * which servers reject then; structured output has its own `response_format`.
 */
type CompletionFields = Omit<CompletionRequest, OwnField>

/** Options of `openAiDriver`. */
export interface OpenAiDriverOptions extends CompletionFields {
  /** Client of the application, with address, key, headers, timeout and proxies. */
  readonly client: OpenAI
  readonly model: string
  /** Requests a stream, so that {@link onDelta} receives its parts. Default `false`. The messages are the same. */
  readonly stream?: boolean
  /** Uses strict mode for tools and structured output where possible. Default `true`. */
  readonly strict?: boolean
  /** Retries of a request. The client's own `maxRetries` is not used. */
  readonly retry?: ModelRetry
  /**
   * Receives each part of a streamed response. Its errors are ignored. After the first part, a stream that breaks off is not
   * requested again.
   */
  readonly onDelta?: (delta: CompletionDelta, meta: RunMeta) => void
  /** Fields that only this server knows. Fields of chat completions take precedence. */
  readonly extraBody?: Readonly<Record<string, unknown>>
}

/** Request with functions that convert what a model writes in strict mode back to the form of the tools. */
interface PreparedRequest {
  readonly body: CompletionRequest
  /** Converts arguments of a tool. Those of an unknown tool stay as they are. */
  restoreArguments(toolName: string, json: JsonText): JsonText
  /** Converts structured output; absent if none was requested. */
  readonly restoreOutput: ((json: JsonText) => JsonText) | undefined
}

/** Returns a function that prepares requests. Tools and response formats are projected once. */
function requestWriter(
  model: string,
  fields: CompletionFields,
  strict: boolean,
  extraBody: OpenAiDriverOptions['extraBody'],
): (request: ModelRequest) => PreparedRequest {
  const projectTools = memoized((specs: readonly AgentToolSpec[]) => {
    const projections = specs.map((spec) => ({ spec, ...openAiTool(spec, { strict }) }))
    const strictOnes = projections.filter((each) => each.strict)
    return {
      tools: projections.map(({ tool }) => tool),
      restorers: new Map(strictOnes.map(({ spec }) => [spec.toolName, argumentRestorer(spec)])),
    }
  })
  const projectFormat = memoized((format: ResponseFormat) => projectedFormat(format, strict))
  return ({ messages, tools: specs, responseFormat, fields: ofRun = {} }) => {
    const { tools, restorers } = projectTools(specs)
    const format = responseFormat && projectFormat(responseFormat)
    const { tool_choice, parallel_tool_calls, ...others } = { ...fields, ...withoutOwn(ofRun) }
    const body: CompletionRequest = {
      ...extraBody,
      model,
      ...others,
      messages: [...messages],
      ...(tools.length > 0 && {
        ...(tool_choice !== undefined && { tool_choice }),
        ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
        tools: [...toolsOf(ofRun), ...tools],
      }),
      ...(format !== undefined && { response_format: format.format }),
    }
    return {
      body,
      restoreArguments: (toolName, json) => restorers.get(toolName)?.(json) ?? json,
      restoreOutput: format?.restore,
    }
  }
}

function memoized<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const values = new WeakMap<Key, Value>()
  return (key) => {
    const value = values.get(key) ?? make(key)
    values.set(key, value)
    return value
  }
}

/** Removes the fields of a run that belong to the driver. */
function withoutOwn({ messages, tools, stream, stream_options, n, ...others }: ChatFields): ChatFields {
  return others
}

function toolsOf({ tools = [] }: ChatFields): CompletionRequest['tools'] & object {
  if (Array.isArray(tools)) return tools
  throw new TypeError('the `tools` of the chat request are no list')
}

/** A response format for the API, with a function that restores the output to its original schema. */
interface ProjectedFormat {
  readonly format: OpenAI.ResponseFormatJSONSchema
  readonly restore: (json: JsonText) => JsonText
}

/** Chat completions accept only objects: any other output is in this field of one. */
const FIELD = 'answer'

function projectedFormat({ name, schema }: ResponseFormat, strict: boolean): ProjectedFormat {
  const type = isFields(schema) ? schema.type : 'any'
  const { $defs, definitions, ...rest } = isFields(schema) ? schema : {}
  const wrapped: JsonSchemaObject = {
    type: 'object',
    properties: { [FIELD]: isFields(schema) ? rest : schema },
    required: [FIELD],
    additionalProperties: false,
    // References expect definitions at the root.
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
  const formatOf = (projected: JsonSchemaObject, isStrict: boolean): ProjectedFormat['format'] => {
    return { type: 'json_schema', json_schema: { name, schema: { ...projected }, strict: isStrict } }
  }
  // Servers do not accept a union of objects, but may accept it in a field.
  const candidates = type === 'object' || type === undefined ? [schema, wrapped] : [wrapped]
  for (const candidate of strict ? candidates : []) {
    const projection = strictProjection(candidate).strict
    if (projection === undefined) continue
    const restore = argumentRestorer({ arguments: candidate })
    const format = formatOf(projection.parameters, true)
    return { format, restore: candidate === wrapped ? (json) => unwrapped(restore(json)) : restore }
  }
  const isObject = type === 'object'
  const plain = plainSchema(isObject ? schema : wrapped)
  return { format: formatOf(isFields(plain) ? plain : {}, false), restore: isObject ? (json) => json : unwrapped }
}

/** Without the field the text stays as it is, and its schema rejects it. */
function unwrapped(json: JsonText): JsonText {
  const { value } = { value: undefined, ...parseJson(json) }
  return isFields(value) && Object.hasOwn(value, FIELD) ? JSON.stringify(value[FIELD]) : json
}

/** Retries of requests to a model. */
interface ModelRetry {
  /** Maximum number of requests, with the first one. Default 3; 1: no retries. */
  readonly attempts?: number
  /** Approximate wait before the second attempt, in milliseconds; doubled for each further one. Default 500. */
  readonly initialMs?: number
  /** Maximum wait in milliseconds. If the server asks for more, its error is thrown. Default 30,000. */
  readonly maxWaitMs?: number
}

/** Reasons that may be temporary. */
const TEMPORARY: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timeout'])

/**
 * Returns a function that sends a request until it succeeds. It is sent again if the classifier says that the server was
 * unavailable, too slow or rate-limited, after the time that the server asks for, else after growing random times.
 * `x-should-retry` of the server takes precedence.
 *
 * @throws {RangeError} for an invalid number
 */
export function modelRetry({ attempts = 3, initialMs = 500, maxWaitMs = 30_000 }: ModelRetry = {}) {
  if (!Number.isInteger(attempts) || attempts < 1) throw new RangeError(`retry.attempts is ${attempts}, give 1 or more`)
  if (!(initialMs >= 0 && Number.isFinite(initialMs)))
    throw new RangeError(`retry.initialMs is ${initialMs}, give milliseconds`)
  if (!(maxWaitMs >= 0)) throw new RangeError(`retry.maxWaitMs is ${maxWaitMs}, give milliseconds`)

  const waitBefore = (attempt: number, error: unknown): number | undefined => {
    const { reason, retryAfterMs } = classify(error, Date.now(), { errorRules: [vendorRules.openAi] })
    const advice = responseHeader(error, 'x-should-retry')
    if (advice === 'false' || (advice !== 'true' && !TEMPORARY.has(reason))) return undefined
    if (retryAfterMs !== undefined) return retryAfterMs > maxWaitMs ? undefined : retryAfterMs
    return Math.min(maxWaitMs, initialMs * 2 ** (attempt - 2) * (0.75 + Math.random() / 2))
  }

  /** @param mayRepeat returns whether a failed request may be sent again */
  return async <Response>(
    signal: AbortSignal,
    send: () => Promise<Response>,
    mayRepeat: () => boolean,
  ): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send()
      } catch (error) {
        signal.throwIfAborted()
        const waitMs = attempt < attempts && mayRepeat() ? waitBefore(attempt + 1, error) : undefined
        if (waitMs === undefined) throw error
        await sleep(waitMs, signal)
        signal.throwIfAborted()
      }
    }
  }
}

/**
 * Creates a driver for models behind OpenAI's chat completions, or any server with this API, over the application's client.
 *
 * The messages of the run are sent unchanged, the tools in strict form where possible. Requests that fail temporarily are
 * retried by the driver's own policy, whatever the client's. The signal of the run ends a request, a stream and a wait at
 * once.
 *
 * `ask` rejects with the client's errors, and with `ModelResponseError` for unusable responses.
 *
 * @throws {RangeError} for an invalid number in `retry`
 *
 * @example
 * const client = new OpenAI({ baseURL: 'http://localhost:11434/v1', apiKey: 'none' })
 * const driver = openAiDriver({ client, model: 'qwen3', temperature: 0 })
 */
export function openAiDriver(options: OpenAiDriverOptions): ModelDriver {
  return driverWith(options, undefined)
}

function driverWith(options: OpenAiDriverOptions, compiler: MessageCompiler | undefined): ModelDriver {
  const { client, model, stream = false, strict, retry, onDelta, extraBody, ...fields } = options
  const withRetries = modelRetry(retry)
  const prepare = requestWriter(model, fields, strict ?? true, extraBody)
  return {
    name: 'openai',
    withMessageCompiler: (compiler) => driverWith(options, compiler),
    ask: async (original) => {
      const request = compiler === undefined ? original : await compiledRequest(original, compiler)
      const { meta } = request
      const prepared = prepare(request)
      let hasDelta = false
      const emit = (delta: CompletionDelta): void => {
        if (onDelta === undefined) return
        hasDelta = true
        try {
          onDelta(delta, meta)
        } catch {
          // Documented: errors of listeners are ignored.
        }
      }
      const send = async (): Promise<ModelResponse> => {
        const completion: unknown = await withSignal(meta.signal, (signal) =>
          stream
            ? streamedCompletion(client, prepared, signal, emit)
            : client.chat.completions.create(prepared.body, { signal, maxRetries: 0 }),
        ).catch((error: unknown) => {
          throw requestError(error)
        })
        return modelResponse(completion, original.messages.length, prepared)
      }
      return withRetries(meta.signal, send, () => !hasDelta)
    },
  }
}

/**
 * Does work under a signal that follows another one until the work is over: the client never removes its listeners, and the
 * signal of a run lives long.
 */
export async function withSignal<Value>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  signal.throwIfAborted()
  const controller = new AbortController()
  const abort = (): void => controller.abort(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    return await work(controller.signal)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * Returns a streamed response as the server would have sent it whole.
 *
 * @throws {ModelResponseError} if the stream ends early or has invalid parts
 */
async function streamedCompletion(
  client: OpenAI,
  { body }: PreparedRequest,
  signal: AbortSignal,
  emit: (delta: CompletionDelta) => void,
): Promise<unknown> {
  const request = { stream_options: { include_usage: true }, ...body, stream: true as const }
  const stream = await client.chat.completions.create(request, { signal, maxRetries: 0 })
  const accumulator = new ReplyAccumulator()
  for await (const chunk of stream) {
    accumulator.add(chunk)
    // The accumulator reports invalid chunks.
    const choices = Array.isArray(chunk?.choices) ? chunk.choices : []
    for (const choice of choices) if (choice?.delta && !choice.index) emit(choice.delta)
  }
  // The client ends an aborted stream as if it were complete.
  signal.throwIfAborted()
  const { message, finishReason, usage, model, issues } = accumulator.reply()
  for (const { code, message: detail } of issues) {
    if (code === 'no_choice') throw new ModelResponseError('no_choices')
    if (code === 'unfinished') throw new ModelResponseError('truncated')
    if (code === 'malformed_part') throw new ModelResponseError('malformed_message', { detail })
  }
  return { choices: [{ message, finish_reason: finishReason }], usage, model }
}

/** Reasons of errors without a status, by their code or type; other errors may be temporary. */
const REASONS: ReadonlyMap<unknown, FailureReason> = new Map<unknown, FailureReason>([
  ['rate_limit_exceeded', 'rate_limited'],
  ['rate_limit_error', 'rate_limited'],
  ['insufficient_quota', 'denied'],
  ['invalid_api_key', 'denied'],
  ['authentication_error', 'denied'],
  ['permission_error', 'denied'],
  ['content_filter', 'denied'],
  ['content_policy_violation', 'denied'],
  ['context_length_exceeded', 'domain_rejection'],
  ['model_not_found', 'domain_rejection'],
  ['invalid_request_error', 'domain_rejection'],
])

/** Returns the error for an error object in the body of a response or in a stream. */
function errorResponse(error: object, cause: unknown = error): ModelResponseError {
  const [code, type] = [peek(error, 'code'), peek(error, 'type')]
  // Some servers send a status as the code.
  const ofStatus = typeof code === 'number' ? classify({ status: code }, 0).reason : 'internal'
  const reason = ofStatus === 'internal' ? (REASONS.get(code) ?? REASONS.get(type) ?? 'unavailable') : ofStatus
  return new ModelResponseError('error_response', { reason, cause })
}

/** Returns the rejection of a request or a stream in a form that the classifier understands. */
function requestError(error: unknown): unknown {
  if (error instanceof SyntaxError) return new ModelResponseError('not_json', { cause: error })
  const sent = peek(error, 'error')
  const isInStream = typeof sent === 'object' && sent !== null && peek(error, 'status') === undefined
  return isInStream ? errorResponse(sent, error) : withMeaning(error, vendorRules.openAi)
}

/**
 * Reads the first choice of a response.
 *
 * @param position number of messages of the conversation
 * @throws {ModelResponseError} for anything but a completion with a message
 */
function modelResponse(
  completion: unknown,
  position: number,
  { restoreArguments, restoreOutput }: PreparedRequest,
): ModelResponse {
  if (!isFields(completion)) throw new ModelResponseError('not_json')
  if (isFields(completion.error)) throw errorResponse(completion.error)
  const choice: unknown = Array.isArray(completion.choices) ? completion.choices[0] : undefined
  if (!isFields(choice)) throw new ModelResponseError('no_choices')
  const message = assistantMessage(choice.message, position)
  const finishReason = stringOf(choice.finish_reason)
  const model = stringOf(completion.model)
  const usage = usageOf(completion.usage)
  const calls = (message.tool_calls ?? []).map((call): ModelCall => {
    if (call.type === 'custom') return { tool: call.custom.name, arguments: call.custom.input, toolCallId: call.id }
    const { name, arguments: json } = call.function
    // Some servers send an empty string for no arguments; at the token limit it is an incomplete call.
    const sent = json === '' && finishReason !== 'length' ? '{}' : json
    return { tool: name, arguments: restoreArguments(name, sent), toolCallId: call.id }
  })
  return {
    message,
    calls,
    ...(restoreOutput !== undefined && calls.length === 0 && { output: restoreOutput(messageText(message)) }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
  }
}

function usageOf(usage: unknown): TokenUsage | undefined {
  const [promptTokens, completionTokens] = [peek(usage, 'prompt_tokens'), peek(usage, 'completion_tokens')]
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Options of the driver with an optional client; the default is `new OpenAI()`, which reads its key from the environment. */
export interface OpenAiModelOptions extends Omit<OpenAiDriverOptions, 'client'> {
  readonly client?: OpenAI
}

/**
 * Returns an agent builder without defaults over a model of OpenAI's chat completions.
 *
 * @example
 * const agent = base({ model: 'gpt-5.2', temperature: 0 }).with(useTools(toolset('local', weather))).build()
 */
export function base(model: OpenAiModelOptions | ModelDriver): AgentBuilder {
  return plainBase(driverOf(model))
}

/**
 * Returns an agent builder with the standard guards over a model of OpenAI's chat completions.
 *
 * @example
 * const agent = standard({ model: 'gpt-5.2' }).build()
 */
export function standard(model: OpenAiModelOptions | ModelDriver): AgentBuilder {
  return plainStandard(driverOf(model))
}

function driverOf(model: OpenAiModelOptions | ModelDriver): ModelDriver {
  return 'ask' in model ? model : openAiDriver({ ...model, client: model.client ?? new OpenAI() })
}
