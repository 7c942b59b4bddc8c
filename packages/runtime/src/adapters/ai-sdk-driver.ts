import { ModelResponseError } from '../agents/model-response-error.js'
import { requireMedia } from '../call/content.js'
import { callerFailure, peek, ToolFailure } from '../call/tool-failure.js'
import { type OpenAiTool, openAiTool } from '../projections/openai.js'
import { type Fields, isFields } from '../schema/json-values.js'
import type { MediaOptions } from '../types/content.js'
import type { JsonValue } from '../types/json.js'
import type { ModelDelta, ModelDriver, ModelRequest } from '../types/planner.js'
import type { ModelUsage } from '../types/token-usage.js'
import { errorResponse, type ModelDriverOptions, modelDriver, type Sending } from './model-driver.js'
import { type ProjectedRequest, requestProjector } from './model-formats.js'
import {
  type ContentFacts,
  type FieldNames,
  imageType,
  inputOf,
  type NativeAnswer,
  nativeResponse,
  receivedArguments,
  runFields,
  type Turn,
  TurnConverter,
  type TurnPart,
  tokenUsage,
} from './model-turns.js'

/** Language model of an AI SDK provider: `LanguageModelV2`, `LanguageModelV3` or `LanguageModelV4`. */
export interface AiSdkModel {
  readonly specificationVersion: 'v2' | 'v3' | 'v4'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]>
  /** Returns a complete response. The type of the options is `any`, because the options differ between the versions of the interface. */
  doGenerate(options: any): PromiseLike<unknown>
  /** Returns a streamed response. */
  doStream(options: any): PromiseLike<{ readonly stream: ReadableStream<unknown> }>
}

/** Options for {@link aiSdkDriver}: the AI SDK's settings for model calls, and options for retries and streaming. */
export interface AiSdkDriverOptions extends ModelDriverOptions {
  /** Maximum number of tokens of a response. Default: the provider's default. */
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly stopSequences?: string[]
  readonly seed?: number
  readonly toolChoice?: { type: 'auto' | 'none' | 'required' } | { type: 'tool'; toolName: string }
  /** Additional HTTP headers. */
  readonly headers?: Record<string, string | undefined>
  /** Provider name → options of this provider, for example `{ anthropic: { thinking: { type: 'adaptive' } } }`. */
  readonly providerOptions?: Record<string, Record<string, JsonValue>>
  /** If `true`, tools and structured output use OpenAI's strict mode where possible. Default: `false`. */
  readonly strict?: boolean
  /** Types and maximum size of the files that the model accepts in tool results. Default: images in common formats of at most 3.75 MB. */
  readonly media?: MediaOptions
}

interface Prepared extends ProjectedRequest<object> {
  readonly call: Readonly<Record<string, unknown>>
  readonly warnings: readonly string[]
}

const NAME = 'ai-sdk'

/**
 * Creates a driver that sends requests to a language model of the AI SDK. The model can come from a provider package such as
 * `@ai-sdk/anthropic`, from a gateway, or from a local server.
 *
 * The driver stores reasoning and other provider metadata in the conversation, and sends these data unchanged in later requests. The option
 * `retry` controls how the driver retries temporary failures.
 *
 * The method `ask` of the driver rejects with errors of the provider, and with `ModelResponseError` for unusable responses. If the provider warns
 * that the model does not support tools, `ask` also rejects. The property `warnings` of the response contains all other warnings.
 *
 * @throws {RangeError} if `retry` contains an invalid number
 * @throws {TypeError} if `model` is not a language model, or if `media` is invalid
 *
 * @example
 * const driver = aiSdkDriver(anthropic('claude-sonnet-5'), { maxOutputTokens: 8_000, stream: true })
 * const support = registerSupport(new Runtime(), { planner: modelPlanner(driver), toolsets: { orders: { client } } })
 */
export function aiSdkDriver(model: AiSdkModel, options: AiSdkDriverOptions = {}): ModelDriver {
  const version: unknown = peek(model, 'specificationVersion')
  if (version !== 'v2' && version !== 'v3' && version !== 'v4') {
    throw new TypeError(
      "aiSdkDriver expects a language model with the specification 'v2', 'v3' or 'v4', for example openai('gpt-5.2').",
    )
  }
  const { stream = false, strict = false, retry, onDelta, media, toolChoice, ...settings } = options
  requireMedia('aiSdkDriver', media)
  const project = requestProjector((spec) => {
    const { tool, strict: isStrict } = openAiTool(spec, { strict })
    const examples = isStrict ? [] : spec.examples
    return { tool: toolOf(tool, isStrict, examples), strict: isStrict }
  }, strict)
  const converter = new TurnConverter<object>(dialect, media)
  return modelDriver<Prepared, ModelDelta>({
    name: NAME,
    provider: providerName(model.provider),
    model: model.modelId,
    retry,
    stream,
    onDelta,
    // The AI SDK also passes one signal to all requests of a run.
    sharesSignal: true,
    prepare: (request) => {
      const prepared = (urls: Record<string, RegExp[]>): Prepared =>
        preparedRequest(request, project(request), { model, settings, toolChoice, converter, urls })
      const urls = model.supportedUrls
      return isPromiseLike(urls) ? Promise.resolve(urls).then(prepared) : prepared(urls)
    },
    send: ({ call }, sending) => (sending.isStreamed ? streamedAnswer(model, call, sending) : model.doGenerate(call)),
    sendError: unusableResponse,
    release: (meta) => converter.release(meta),
    read: (answer, position, prepared) => {
      return nativeResponse(answerOf(answer, prepared.warnings), position, dialect, prepared)
    },
  })
}

/** Prefix of a provider name in the AI SDK → name of the provider in OpenTelemetry. Contains only providers whose two names differ. */
const PROVIDERS: readonly (readonly [string, string])[] = [
  ['google.vertex', 'gcp.vertex_ai'],
  ['google', 'gcp.gemini'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['azure', 'azure.ai.openai'],
  ['mistral', 'mistral_ai'],
  ['xai', 'x_ai'],
]

function providerName(provider: string): string {
  const known = PROVIDERS.find(([prefix]) => provider === prefix || provider.startsWith(`${prefix}.`))
  return known?.[1] ?? provider.split('.', 1).join()
}

function toolOf(
  { function: { name, description, parameters } }: OpenAiTool,
  strict: boolean,
  examples: readonly unknown[],
) {
  return {
    type: 'function',
    name,
    description,
    inputSchema: parameters,
    ...(strict && { strict }),
    ...(examples.length > 0 && { inputExamples: examples.map((input) => ({ input })) }),
  }
}

function isPromiseLike<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return typeof peek(value, 'then') === 'function'
}

interface RequestParts {
  readonly model: AiSdkModel
  readonly settings: Readonly<Record<string, unknown>>
  readonly toolChoice: AiSdkDriverOptions['toolChoice']
  readonly converter: TurnConverter<object>
  readonly urls: Readonly<Record<string, RegExp[]>>
}

const FIELDS: FieldNames = {
  ...{ temperature: 'temperature', top_p: 'topP', seed: 'seed', stop: (stop) => ({ stopSequences: [stop].flat() }) },
  ...{ presence_penalty: 'presencePenalty', frequency_penalty: 'frequencyPenalty' },
  ...{ max_tokens: 'maxOutputTokens', max_completion_tokens: 'maxOutputTokens' },
  tool_choice: toolChoice,
}

function preparedRequest(
  request: ModelRequest,
  projected: ProjectedRequest<object>,
  { model, settings, toolChoice, converter, urls }: RequestParts,
): Prepared {
  const { tools, format } = projected
  const { fields: ofRun, warnings } = runFields(request.fields, NAME, FIELDS)
  const { instructions, messages } = converter.convert(request, (added, turn) => {
    added.push(promptMessage(turn, model, urls))
  })
  const system = instructions.map((content): object => ({ role: 'system', content }))
  const { toolChoice: ofThisRun, ...fields } = ofRun
  const prompt = system.concat(messages)
  const call: Record<string, unknown> = { prompt, ...settings, ...fields, abortSignal: request.meta.signal }
  if (tools.length > 0) {
    call.tools = tools
    call.toolChoice = ofThisRun ?? toolChoice ?? { type: 'auto' }
  }
  if (format !== undefined) call.responseFormat = { type: 'json', name: format.name, schema: format.schema }
  const { restoreArguments } = projected
  return { tools, format, restoreArguments, call, warnings }
}

function toolChoice(choice: unknown): { readonly toolChoice: object } | undefined {
  const toolName = peek(peek(choice, 'function'), 'name')
  if (toolName !== undefined) return { toolChoice: { type: 'tool', toolName } }
  return typeof choice === 'string' ? { toolChoice: { type: choice } } : undefined
}

function promptMessage(turn: Turn, model: AiSdkModel, urls: Readonly<Record<string, RegExp[]>>): object {
  if (turn.role === 'user') return { role: 'user', content: turn.parts.map((part) => userPart(part, model, urls)) }
  if (turn.role === 'tool') {
    const content = turn.results.map(({ call: { id, name }, text }) => {
      return { type: 'tool-result', toolCallId: id, toolName: name, output: { type: 'text', value: text } }
    })
    return { role: 'tool', content }
  }
  const { text, calls, content } = turn
  const requested = calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input }))
  if (content === undefined) {
    return { role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...requested] }
  }
  let index = 0
  const parts = content.flatMap((part) => {
    if (!isFields(part) || part.type === 'source') return []
    const own = isOwnCall(part) ? { ...part, ...requested[index++] } : part
    return [promptPart(own)]
  })
  return { role: 'assistant', content: parts }
}

function promptPart({ providerMetadata, ...part }: Fields): object {
  const options = providerMetadata !== undefined && { providerOptions: providerMetadata }
  // Responses contain the input as JSON, but requests contain the object.
  if (part.type === 'tool-call' && typeof part.input === 'string')
    return { ...part, input: inputOf(part.input), ...options }
  if (part.type !== 'tool-result') return { ...part, ...options }
  const { toolCallId, toolName, result, isError } = part
  const output = { type: isError === true ? 'error-json' : 'json', value: result }
  return { type: 'tool-result', toolCallId, toolName, output, ...options }
}

function userPart(part: TurnPart, model: AiSdkModel, urls: Readonly<Record<string, RegExp[]>>): object {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const isNewest = model.specificationVersion === 'v4'
  if (part.type === 'data') {
    const { mediaType, data, filename } = part
    const file = { type: 'file', mediaType, data: isNewest ? { type: 'data', data } : data }
    return filename === undefined ? file : { ...file, filename }
  }
  const { url } = part
  const mediaType = imageType(url)
  const patterns = ['*', '*/*', 'image/*', mediaType].flatMap((type) => urls[type] ?? [])
  if (!patterns.some((pattern) => pattern.test(url))) {
    throw callerFailure(
      `The model '${model.modelId}' of ${model.provider} does not load images from web addresses. Send the image as a \`data:\` URL.`,
    )
  }
  const address = new URL(url)
  return { type: 'file', mediaType, data: isNewest ? { type: 'url', url: address } : address }
}

const dialect = { name: NAME, read: readContent }

function isOwnCall(part: Fields): boolean {
  return part.type === 'tool-call' && part.providerExecuted !== true
}

function readContent(content: readonly JsonValue[]): ContentFacts {
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: { id: string; name: string; arguments: string }[] = []
  let hasMore = false
  const parts: readonly unknown[] = content
  for (const part of parts) {
    if (!isFields(part)) continue
    const { type, text } = part
    if (type === 'text' && typeof text === 'string') texts.push(text)
    else if (type === 'reasoning' && typeof text === 'string') thoughts.push(text)
    else if (isOwnCall(part)) {
      calls.push({
        id: String(part.toolCallId ?? ''),
        name: String(part.toolName ?? ''),
        arguments: receivedArguments(part.input),
      })
    }
    hasMore ||= part.providerMetadata !== undefined || !(type === 'text' || type === 'source' || isOwnCall(part))
  }
  return { text: texts.join(''), calls, reasoning: thoughts.join('\n'), hasMore }
}

const FINISH_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['tool-calls', 'tool_calls'],
  ['content-filter', 'content_filter'],
])

function answerOf(answer: unknown, ofRequest: readonly string[]): NativeAnswer {
  const content = peek(answer, 'content')
  if (!Array.isArray(content)) throw new ModelResponseError('no_choices')
  const reason = finishReason(peek(answer, 'finishReason'))
  if (reason === 'error') throw new ModelResponseError('error_response', { cause: answer })
  const found = peek(answer, 'warnings')
  const warnings: readonly unknown[] = Array.isArray(found) ? found : []
  const withoutTools = warnings.find((warning) => /^tools?$/i.test(String(featureOf(warning))))
  if (withoutTools !== undefined) {
    const message = `The model does not support tools: ${warningText(withoutTools)} Choose another model.`
    throw new ToolFailure(message, { reason: 'domain_rejection', cause: withoutTools })
  }
  const response = peek(answer, 'response')
  const model = peek(response, 'modelId')
  return {
    content: content.map(plainPart),
    finishReason: FINISH_REASONS.get(reason) ?? reason,
    usage: usageOf(peek(answer, 'usage')),
    model: typeof model === 'string' ? model : undefined,
    id: peek(response, 'id'),
    warnings: [...ofRequest, ...warnings.map(warningText)],
  }
}

function finishReason(reason: unknown): string | undefined {
  const word = typeof reason === 'string' ? reason : peek(reason, 'unified')
  return typeof word === 'string' ? word : undefined
}

function featureOf(warning: unknown): unknown {
  return peek(warning, 'feature') ?? peek(warning, 'setting')
}

function warningText(warning: unknown): string {
  const [message, details] = [peek(warning, 'message'), peek(warning, 'details')]
  if (typeof message === 'string') return message
  const text = `The provider reports '${String(peek(warning, 'type'))}' for '${String(featureOf(warning))}'.`
  return typeof details === 'string' ? `${text} ${details}` : text
}

function plainPart(part: unknown): JsonValue {
  if (hasOnlyStrings(part)) return { ...part }
  return JSON.parse(
    // A `Buffer` has already been converted by its `toJSON` when the function receives it as `value`.
    JSON.stringify(part, function (this: Fields, key, value) {
      const original = this[key]
      return original instanceof Uint8Array ? base64(original) : value
    }),
  )
}

function hasOnlyStrings(part: unknown): part is Readonly<Record<string, string>> {
  if (!isFields(part)) return false
  for (const key in part) if (typeof part[key] !== 'string') return false
  return true
}

function base64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** In `LanguageModelV2`, each count is a number. In later versions, each count is an object with the property `total`. */
function usageOf(usage: unknown): ModelUsage | undefined {
  const [input, output] = [peek(usage, 'inputTokens'), peek(usage, 'outputTokens')]
  return tokenUsage({
    promptTokens: peek(input, 'total') ?? input,
    completionTokens: peek(output, 'total') ?? output,
    cachedPromptTokens: peek(input, 'cacheRead') ?? peek(usage, 'cachedInputTokens'),
    cacheWritePromptTokens: peek(input, 'cacheWrite'),
    reasoningTokens: peek(output, 'reasoning') ?? peek(usage, 'reasoningTokens'),
  })
}

async function streamedAnswer(
  model: AiSdkModel,
  call: Prepared['call'],
  { signal, emit, chunkReceived }: Sending<ModelDelta>,
): Promise<object> {
  const { stream } = await model.doStream({ ...call, includeRawChunks: false })
  const content: Record<string, unknown>[] = []
  const open = new Map<unknown, Record<string, unknown>>()
  const tools = new Map<unknown, string>()
  let end: unknown
  let response: object = {}
  let warnings: unknown = []
  for await (const part of chunksOf(stream, signal)) {
    signal.throwIfAborted()
    if (!isFields(part)) throw new ModelResponseError('malformed_message', { cause: part })
    const { type, id, delta } = part
    // Models of the AI SDK start the stream before the server responds.
    if (type !== 'stream-start') chunkReceived()
    switch (type) {
      case 'text-start':
      case 'reasoning-start': {
        const block = { type: type.replace('-start', ''), text: '', ...metadataOf(part) }
        open.set(`${block.type} ${String(id)}`, block)
        content.push(block)
        break
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const kind = type === 'text-delta' ? 'text' : 'reasoning'
        const block = open.get(`${kind} ${String(id)}`)
        if (block === undefined || typeof delta !== 'string') throw new ModelResponseError('malformed_message')
        Object.assign(block, { text: String(block.text) + delta }, metadataOf(part))
        // Some providers send an empty text before the model has started to answer.
        if (delta !== '') emit({ type: kind, text: delta })
        break
      }
      case 'text-end':
      case 'reasoning-end':
        Object.assign(open.get(`${type.replace('-end', '')} ${String(id)}`) ?? {}, metadataOf(part))
        break
      case 'tool-input-start':
        tools.set(id, String(part.toolName))
        break
      case 'tool-input-delta':
        emit({ type: 'arguments', tool: tools.get(id) ?? '', toolCallId: String(id), text: String(delta) })
        break
      case 'stream-start':
        warnings = part.warnings
        break
      case 'response-metadata':
        response = { ...response, ...part }
        break
      case 'finish':
        end = part
        break
      case 'error':
        throw streamError(part.error)
      case 'tool-input-end':
      case 'raw':
        break
      default:
        content.push({ ...part })
    }
  }
  signal.throwIfAborted()
  const reason = peek(end, 'finishReason')
  // Providers report an unknown reason if the server ends the stream without one.
  const isCut = reason === 'unknown' || (peek(reason, 'unified') === 'other' && peek(reason, 'raw') === undefined)
  if (end === undefined || isCut) throw new ModelResponseError('truncated')
  return { content, finishReason: reason, usage: peek(end, 'usage'), response, warnings }
}

/** Some providers send a plain object or a string as the error of a stream event. */
function streamError(error: unknown): unknown {
  return error instanceof Error ? error : errorResponse(Object(peek(error, 'error') ?? error), error)
}

function metadataOf({ providerMetadata }: Fields): object {
  return providerMetadata === undefined ? {} : { providerMetadata }
}

async function* chunksOf(stream: ReadableStream<unknown>, signal: AbortSignal): AsyncGenerator<unknown> {
  // A reader, because some JavaScript runtimes cannot iterate over streams.
  const reader = stream.getReader()
  // The stream can have failed already.
  const cancel = (): Promise<void> => reader.cancel().catch(() => undefined)
  let isDone = false
  // Ends the stream of a model that ignores the signal.
  signal.addEventListener('abort', cancel)
  try {
    signal.throwIfAborted()
    for (;;) {
      const { done, value } = await reader.read()
      isDone = done
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', cancel)
    if (!isDone) await cancel()
  }
}

const UNUSABLE: ReadonlyMap<unknown, 'not_json' | 'malformed_message'> = new Map([
  ['AI_JSONParseError', 'not_json'],
  ['AI_EmptyResponseBodyError', 'not_json'],
  ['AI_TypeValidationError', 'malformed_message'],
  ['AI_InvalidResponseDataError', 'malformed_message'],
] as const)

function unusableResponse(error: unknown): unknown {
  const isRead = Number(peek(error, 'statusCode') ?? 200) < 400
  const isCut = peek(error, 'name') === 'AI_InvalidResponseDataError' && peek(error, 'data') === undefined
  if (isCut) return new ModelResponseError('truncated', { cause: error })
  const code = UNUSABLE.get(peek(error, 'name')) ?? UNUSABLE.get(peek(peek(error, 'cause'), 'name'))
  return isRead && code !== undefined ? new ModelResponseError(code, { cause: error }) : error
}
