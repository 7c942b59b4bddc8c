import { type Content, type GenerateContentConfig, GoogleGenAI, type Part } from '@google/genai'
import { ModelResponseError } from '../agents/model-response-error.js'
import { requireMedia } from '../call/content.js'
import { peek } from '../call/tool-failure.js'
import { type GeminiTool, geminiSchema, geminiTool } from '../projections/gemini.js'
import { isFields } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { MediaOptions } from '../types/content.js'
import type { JsonValue } from '../types/json.js'
import type { ModelDelta, ModelDriver, ModelRequest } from '../types/planner.js'
import type { ModelUsage } from '../types/token-usage.js'
import { type ModelDriverOptions, modelDriver, type Sending } from './model-driver.js'
import { type ProjectedRequest, requestProjector } from './model-formats.js'
import {
  allowedTools,
  type ContentFacts,
  imageType,
  jsonOfInput,
  type NativeAnswer,
  nativeResponse,
  receivedArguments,
  runFields,
  type Turn,
  type TurnCall,
  TurnConverter,
  type TurnPart,
  tokenUsage,
} from './model-turns.js'

type OwnField =
  | 'abortSignal'
  | 'automaticContinuation'
  | 'automaticFunctionCalling'
  | 'candidateCount'
  | 'continuationToken'
  | 'responseJsonSchema'
  | 'responseMimeType'
  | 'responseSchema'
  | 'systemInstruction'
  | 'tools'

/** Options for {@link geminiDriver}: the client, the model, retries, streaming, and fields of the client's `GenerateContentConfig`. */
export interface GeminiDriverOptions extends Omit<GenerateContentConfig, OwnField>, ModelDriverOptions {
  /**
   * Client of Google's library. Configures the address, API key, headers, timeout and Vertex AI. Default: `new GoogleGenAI({})`, which reads
   * its settings from the environment.
   */
  readonly client?: GoogleGenAI
  readonly model: string
  /** Images and audio that the model accepts in tool results. Default: images in common formats of at most 3.75 MB. */
  readonly media?: MediaOptions
}

interface Prepared extends ProjectedRequest<GeminiTool> {
  readonly body: { readonly model: string; readonly contents: Content[]; readonly config: GenerateContentConfig }
  readonly warnings: readonly string[]
}

const NAME = 'gemini'

/**
 * Creates a driver that sends requests to the Gemini API, or to Vertex AI.
 *
 * The driver stores the model's thoughts and their signatures in the conversation. In later requests, the driver sends each signature with the
 * same part of the message. The driver repeats a request after a temporary failure, and after a response with an invalid function call. The
 * option `retry` controls these retries; the driver disables the client's own retries. The driver reads the wait time before a retry only from
 * the body of an error, because the client does not provide the header `Retry-After`.
 *
 * Models before Gemini 3 do not support a response schema together with tools. For these models, the driver describes the schema of a
 * structured answer in the instructions.
 *
 * `ask` rejects with errors of the client, and with `ModelResponseError` for unusable responses.
 *
 * @throws {RangeError} if `retry` contains an invalid number
 * @throws {TypeError} if `client` is omitted and the environment has no API key, or if `media` is invalid
 *
 * @example
 * const driver = geminiDriver({ model: 'gemini-3.8-flash', thinkingConfig: { includeThoughts: true } })
 * const support = registerSupport(new Runtime(), { planner: modelPlanner(driver), toolsets: { orders: { client } } })
 */
export function geminiDriver(options: GeminiDriverOptions): ModelDriver {
  const { stream = false, retry, onDelta, media, client: ofApplication, ...fields } = options
  const client = ofApplication ?? clientOfEnvironment()
  requireMedia('geminiDriver', media)
  const project = requestProjector((spec) => ({ tool: geminiTool(spec).tool }), false, geminiSchema)
  const converter = new TurnConverter<ApiContent>(dialect, media)
  return modelDriver<Prepared, ModelDelta>({
    name: NAME,
    provider: client.vertexai ? 'gcp.vertex_ai' : 'gcp.gemini',
    model: fields.model,
    retry,
    stream,
    onDelta,
    prepare: (request) => preparedRequest(request, project(request), fields, converter),
    send: async ({ body: { config, ...body } }, { signal: abortSignal, isStreamed, position, ...sending }) => {
      const request = { ...body, config: { ...config, abortSignal } }
      if (!isStreamed) return client.models.generateContent(request)
      try {
        return await streamedResponse(await client.models.generateContentStream(request), position, sending)
      } catch (error) {
        const isCut = String(peek(error, 'message')).startsWith('Incomplete JSON segment')
        throw isCut ? new ModelResponseError('truncated', { cause: error }) : error
      }
    },
    release: (meta) => converter.release(meta),
    read: (answer, position, prepared) =>
      nativeResponse({ ...answerOf(answer), warnings: prepared.warnings }, position, dialect, prepared),
  })
}

/** Throws an error if the environment has no API key. Otherwise, the client would search for Google Cloud credentials, even on the network. */
function clientOfEnvironment(): GoogleGenAI {
  const client = new GoogleGenAI({})
  if (client.vertexai || peek(client, 'apiKey') !== undefined) return client
  throw new TypeError(
    'geminiDriver has no API key. Set `GEMINI_API_KEY`, or pass `client: new GoogleGenAI({ apiKey })` to geminiDriver.',
  )
}

/** Matches the names of models that do not support a response schema together with tools. */
const WITHOUT_SCHEMA_AND_TOOLS = /(^|\/)gemini-[12]\b/

function preparedRequest(
  request: ModelRequest,
  projected: ProjectedRequest<GeminiTool>,
  { model: ofDriver, ...ownConfig }: Omit<GeminiDriverOptions, 'client' | 'stream' | 'media' | 'retry' | 'onDelta'>,
  converter: TurnConverter<ApiContent>,
): Prepared {
  const { tools, format } = projected
  const { fields: ofRun, warnings } = runFields(request.fields, NAME, {
    ...{ model: 'model', temperature: 'temperature', top_p: 'topP', seed: 'seed' },
    ...{ max_tokens: 'maxOutputTokens', max_completion_tokens: 'maxOutputTokens' },
    ...{ presence_penalty: 'presencePenalty', frequency_penalty: 'frequencyPenalty' },
    stop: (stop) => ({ stopSequences: [stop].flat() }),
    tool_choice: (choice) => {
      const config = callingConfig(choice)
      return config && { choice: config }
    },
  })
  const { model: modelOfRun, choice, ...configOfRun } = ofRun
  const model = typeof modelOfRun === 'string' ? modelOfRun : ofDriver
  const { toolConfig, httpOptions, ...config } = ownConfig
  const { instructions, messages } = converter.convert(request, addTurn)
  const isInPrompt = format !== undefined && tools.length > 0 && WITHOUT_SCHEMA_AND_TOOLS.test(model)
  const system = [
    ...instructions,
    ...(isInPrompt
      ? [`Write your final answer as JSON that matches this JSON Schema: ${JSON.stringify(format.schema)}`]
      : []),
  ].filter((text) => text !== '')
  return {
    ...projected,
    warnings,
    body: {
      model,
      contents: messages,
      config: {
        ...config,
        ...configOfRun,
        httpOptions: { ...httpOptions, retryOptions: { attempts: 1 } },
        automaticContinuation: false,
        automaticFunctionCalling: { disable: true },
        ...(system.length > 0 && { systemInstruction: { parts: system.map((text) => ({ text })) } }),
        ...(tools.length > 0 && {
          tools: [{ functionDeclarations: [...tools] }],
          ...((toolConfig !== undefined || choice !== undefined) && {
            toolConfig: { ...toolConfig, ...(choice !== undefined && { functionCallingConfig: Object(choice) }) },
          }),
        }),
        ...(format !== undefined &&
          !isInPrompt && { responseMimeType: 'application/json', responseJsonSchema: format.schema }),
      },
    },
  }
}

function callingConfig(choice: unknown): object | undefined {
  const name = peek(peek(choice, 'function'), 'name')
  if (typeof name === 'string') return { mode: 'ANY', allowedFunctionNames: [name] }
  const allowed = allowedTools(choice)
  // In the mode `AUTO`, the API does not accept names.
  if (allowed) return { mode: allowed.isRequired ? 'ANY' : 'VALIDATED', allowedFunctionNames: allowed.names }
  if (typeof choice !== 'string') return undefined
  return { mode: choice === 'required' ? 'ANY' : choice.toUpperCase() }
}

interface ApiContent {
  readonly role: 'user' | 'model'
  readonly parts: Part[]
}

/** Merges consecutive assistant messages, because Gemini requires a user message before each message with calls. */
function addTurn(contents: ApiContent[], turn: Turn): void {
  const [role, parts] = [turn.role === 'assistant' ? ('model' as const) : ('user' as const), partsOf(turn)]
  const last = contents.at(-1)
  if (role === 'model' && last?.role === role) contents.splice(-1, 1, { role, parts: [...last.parts, ...parts] })
  else if (parts.length > 0) contents.push({ role, parts })
}

/**
 * Placeholder for the signature of the first call in a message that another model wrote. Gemini 3 rejects a message if its first call has no
 * signature.
 */
const NO_SIGNATURE = 'skip_thought_signature_validator'

function partsOf(turn: Turn): Part[] {
  if (turn.role === 'user') return turn.parts.flatMap(userParts)
  if (turn.role === 'tool') {
    return turn.results.map(({ call: { id, name }, text }) => {
      return { functionResponse: { id, name, response: { output: outputOf(text) } } }
    })
  }
  const { text, calls, content } = turn
  if (content === undefined) {
    return [
      ...textParts(text),
      ...calls.map((call, index): Part => {
        return { functionCall: functionCall(call), ...(index === 0 && { thoughtSignature: NO_SIGNATURE }) }
      }),
    ]
  }
  let index = 0
  // The parts are those that the API returned. Calls without an id have got one, and calls with the same id have got new ids.
  return content.map((part): Part => {
    const call = peek(part, 'functionCall') === undefined ? undefined : calls[index++]
    return { ...Object(part), ...(call !== undefined && { functionCall: functionCall(call) }) }
  })
}

function functionCall({ id, name, input }: TurnCall) {
  return { id, name, args: { ...input } }
}

/** Parses JSON objects and arrays, so that the model reads no escaped quotation marks. */
function outputOf(text: string): unknown {
  const { value } = { value: undefined, ...parseJson(text) }
  return isFields(value) || Array.isArray(value) ? value : text
}

/** Returns no part for an empty text, because the API rejects empty texts. */
function textParts(text: string): Part[] {
  return text === '' ? [] : [{ text }]
}

function userParts(part: TurnPart): Part[] {
  if (part.type === 'text') return textParts(part.text)
  if (part.type === 'data') return [{ inlineData: { mimeType: part.mediaType, data: part.data } }]
  return [{ fileData: { fileUri: part.url, mimeType: imageType(part.url) } }]
}

const dialect = { name: NAME, read: readContent }

function readContent(content: readonly JsonValue[]): ContentFacts {
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: ContentFacts['calls'][number][] = []
  let hasMore = false
  for (const part of content) {
    const [text, call, isThought] = [peek(part, 'text'), peek(part, 'functionCall'), peek(part, 'thought') === true]
    if (typeof text === 'string') (isThought ? thoughts : texts).push(text)
    if (call !== undefined) {
      const id = peek(call, 'id')
      calls.push({
        ...(typeof id === 'string' && { id }),
        name: String(peek(call, 'name') ?? ''),
        arguments: receivedArguments(peek(call, 'args')),
      })
    }
    const isPlain = typeof text === 'string' || call !== undefined
    hasMore ||= isThought || !isPlain || peek(part, 'thoughtSignature') !== undefined
  }
  return { text: texts.join(''), calls, reasoning: thoughts.join('\n'), hasMore }
}

const FINISH_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ...['SAFETY', 'RECITATION', 'LANGUAGE', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'IMAGE_SAFETY'].map(filtered),
  ...['IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION', 'ESCALATION', 'MODEL_ARMOR', 'PUP_LIMITED_DISABLED'].map(
    filtered,
  ),
])

function filtered(reason: string): readonly [string, string] {
  return [reason, 'content_filter']
}

/**
 * Finish reasons of responses with an invalid function call. The driver repeats the request, because models often write a valid call the
 * second time.
 */
const INVALID: ReadonlySet<unknown> = new Set(['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'UNEXPECTED_TOOL_CALL'])

function answerOf(response: unknown): NativeAnswer {
  if (!isFields(response)) throw new ModelResponseError('not_json')
  const { candidates, promptFeedback, usageMetadata, modelVersion, responseId } = response
  const answer = {
    usage: usageOf(usageMetadata),
    model: typeof modelVersion === 'string' ? modelVersion : undefined,
    id: responseId,
  }
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined
  if (!isFields(candidate)) {
    if (peek(promptFeedback, 'blockReason') === undefined) throw new ModelResponseError('no_choices')
    return { ...answer, content: [], finishReason: 'content_filter' }
  }
  const { finishReason: reason } = candidate
  if (INVALID.has(reason)) {
    const detail = 'The model wrote an invalid function call.'
    const { usage } = answer
    throw new ModelResponseError('malformed_message', {
      reason: 'unavailable',
      detail,
      cause: response,
      ...(usage !== undefined && { usage }),
    })
  }
  const found = peek(candidate.content, 'parts') ?? []
  const parts: readonly JsonValue[] = Array.isArray(found) ? (found.filter(isFields) as readonly JsonValue[]) : []
  if (!Array.isArray(found) || parts.length < found.length) {
    throw new ModelResponseError('malformed_message', { cause: response })
  }
  const hasCalls = parts.some((part) => peek(part, 'functionCall') !== undefined)
  const word = FINISH_REASONS.get(reason) ?? String(reason ?? 'stop').toLowerCase()
  const isUnknown = !FINISH_REASONS.has(reason) && reason !== undefined
  if (isUnknown && parts.length === 0) throw new ModelResponseError('error_response', { cause: response })
  return {
    ...answer,
    content: parts.filter((part) => peek(part, 'text') !== '' || hasMoreThanText(part)),
    finishReason: hasCalls && word === 'stop' ? 'tool_calls' : word,
  }
}

/** The driver must not drop a part with a signature or a call, even if the text of the part is empty. */
function hasMoreThanText(part: unknown): boolean {
  return peek(part, 'thoughtSignature') !== undefined || peek(part, 'functionCall') !== undefined
}

function usageOf(usage: unknown): ModelUsage | undefined {
  const [prompt, thoughts] = [peek(usage, 'promptTokenCount'), peek(usage, 'thoughtsTokenCount')]
  if (typeof prompt !== 'number') return undefined
  return tokenUsage({
    promptTokens: prompt + Number(peek(usage, 'toolUsePromptTokenCount') ?? 0),
    // The API counts thoughts separately, and omits counts that are 0.
    completionTokens: Number(peek(usage, 'candidatesTokenCount') ?? 0) + Number(thoughts ?? 0),
    cachedPromptTokens: peek(usage, 'cachedContentTokenCount'),
    cacheWritePromptTokens: undefined,
    reasoningTokens: thoughts,
  })
}

async function streamedResponse(
  stream: AsyncIterable<unknown>,
  position: number,
  { emit, chunkReceived }: Pick<Sending<ModelDelta>, 'emit' | 'chunkReceived'>,
): Promise<Readonly<Record<string, unknown>>> {
  const content = new StreamedContent(position, emit)
  const last: Record<string, unknown> = {}
  let finishReason: unknown
  let isEmpty = true
  let hasCandidate = false
  for await (const chunk of stream) {
    chunkReceived()
    isEmpty = false
    for (const field of ['promptFeedback', 'usageMetadata', 'modelVersion', 'responseId']) {
      const value = peek(chunk, field)
      if (value !== undefined) last[field] = value
    }
    const candidate = peek(peek(chunk, 'candidates'), 0)
    if (candidate === undefined) continue
    hasCandidate = true
    finishReason = peek(candidate, 'finishReason') ?? finishReason
    const added = peek(peek(candidate, 'content'), 'parts')
    for (const part of Array.isArray(added) ? added : []) content.add(part)
  }
  if (isEmpty) throw new ModelResponseError('truncated')
  if (!hasCandidate) return last
  if (finishReason === undefined && peek(last.promptFeedback, 'blockReason') === undefined) {
    throw new ModelResponseError('truncated')
  }
  return { ...last, candidates: [{ content, finishReason }] }
}

class StreamedContent {
  readonly parts: Record<string, unknown>[] = []
  readonly #position: number
  readonly #emit: (delta: ModelDelta) => void
  #calls = 0

  constructor(position: number, emit: (delta: ModelDelta) => void) {
    this.#position = position
    this.#emit = emit
  }

  add(part: unknown): void {
    if (!isFields(part)) throw new ModelResponseError('malformed_message', { cause: part })
    const { text, thought, functionCall: call } = part
    if (typeof text === 'string' && text !== '') this.#emit({ type: thought === true ? 'reasoning' : 'text', text })
    if (call !== undefined) this.#emitCall(call)
    const last = this.parts.at(-1)
    const isSame = last !== undefined && isUnsignedText(last) && isUnsignedText(part) && last.thought === thought
    if (isSame) last.text = `${String(last.text)}${String(text)}`
    else this.parts.push({ ...part })
  }

  #emitCall(call: unknown): void {
    if (peek(call, 'partialArgs') !== undefined || peek(call, 'willContinue') !== undefined) {
      const detail = 'Remove `streamFunctionCallArguments` from the options of geminiDriver.'
      throw new ModelResponseError('malformed_message', { detail, cause: call })
    }
    // The response gets the same id later.
    const id = peek(call, 'id')
    const toolCallId = typeof id === 'string' && id !== '' ? id : `call_${this.#position}_${this.#calls}`
    this.#calls += 1
    const text = jsonOfInput(peek(call, 'args') ?? {})
    this.#emit({ type: 'arguments', tool: String(peek(call, 'name')), toolCallId, text })
  }
}

function isUnsignedText({ text, thoughtSignature }: Readonly<Record<string, unknown>>): boolean {
  return typeof text === 'string' && thoughtSignature === undefined
}
