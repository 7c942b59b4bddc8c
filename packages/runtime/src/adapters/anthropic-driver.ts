import { Anthropic } from '@anthropic-ai/sdk'
import { ModelResponseError } from '../agents/model-response-error.js'
import { IMAGE_TYPES, requireMedia } from '../call/content.js'
import { peek, ToolFailure } from '../call/tool-failure.js'
import { anthropicTool } from '../projections/anthropic.js'
import { openAiTool } from '../projections/openai.js'
import { isFields } from '../schema/json-values.js'
import type { MediaOptions } from '../types/content.js'
import type { JsonValue } from '../types/json.js'
import type { ModelDelta, ModelDriver, ModelRequest } from '../types/planner.js'
import type { AgentToolSpec } from '../types/tool.js'
import { errorResponse, type ModelDriverOptions, modelDriver, type Sending } from './model-driver.js'
import { type ProjectedRequest, requestProjector } from './model-formats.js'
import {
  type ContentFacts,
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
import { wholeResponse } from './whole-response.js'

type Params = Anthropic.MessageCreateParamsNonStreaming
type Block = Anthropic.ContentBlockParam

/** Options for {@link anthropicDriver}: the client, the model, retries, streaming, caching, and fields of the Messages API. */
export interface AnthropicDriverOptions
  extends Omit<Params, 'messages' | 'system' | 'tools' | 'stream' | 'cache_control' | 'max_tokens'>,
    ModelDriverOptions {
  /**
   * Client of Anthropic's library. Configures the address, API key, headers, timeout and proxies. Default: `new Anthropic()`, which reads
   * the API key from the environment.
   */
  readonly client?: Anthropic
  readonly model: string
  /** Maximum number of tokens of a response, including thinking. Default: 16,000. */
  readonly max_tokens?: number
  /**
   * Lifetime of cached prompts, or `false` to send no cache markers. With a cache marker, the API caches the prompt up to the marked position.
   * The driver marks the tool definitions, the instructions and the last message. Default: `5m`.
   */
  readonly cache?: '5m' | '1h' | false
  /** If `true`, uses strict mode for tools whose schema supports strict mode. Default: `false`, because the API limits the number of strict tools. */
  readonly strict?: boolean
  /** Files that the model accepts in tool results. Default: images in common formats and PDFs of at most 3.75 MB. */
  readonly media?: MediaOptions
}

interface Prepared extends ProjectedRequest<Anthropic.Tool> {
  readonly body: Params
  readonly warnings: readonly string[]
}

const NAME = 'anthropic'

/**
 * Creates a driver that sends requests to Anthropic's Messages API.
 *
 * The driver stores thinking blocks with their signatures in the conversation, and sends these blocks unchanged in later requests. The option
 * `retry` controls how the driver retries temporary failures. The driver disables the client's own retries.
 *
 * `ask` rejects with errors of the client, and with `ModelResponseError` for unusable responses.
 *
 * @throws {RangeError} if `retry` contains an invalid number
 * @throws {TypeError} if `media` is invalid
 *
 * @example
 * const driver = anthropicDriver({ model: 'claude-sonnet-5' })
 * const support = registerSupport(new Runtime(), { planner: modelPlanner(driver), toolsets: { orders: { client } } })
 */
export function anthropicDriver(options: AnthropicDriverOptions): ModelDriver {
  const {
    stream = false,
    strict = false,
    cache = '5m',
    retry,
    onDelta,
    media,
    client: ofApplication,
    ...fields
  } = options
  const client = ofApplication ?? new Anthropic()
  requireMedia('anthropicDriver', media)
  const marker = cache === false ? undefined : { type: 'ephemeral' as const, ttl: cache }
  const project = requestProjector((spec) => toolOf(spec, strict), true)
  const converter = new TurnConverter<ApiMessage>(dialect, { types: MEDIA_TYPES, ...media })
  return modelDriver<Prepared, ModelDelta>({
    name: NAME,
    provider: NAME,
    model: fields.model,
    retry,
    stream,
    onDelta,
    prepare: (request) => {
      return preparedRequest(request, project(request), { fields, converter, marker })
    },
    send: async ({ body }, { signal, isStreamed, ...sending }) => {
      try {
        if (isStreamed) return await streamedMessage(client, body, signal, sending)
        return await client.messages.create(body, { signal, maxRetries: 0 })
      } catch (error) {
        throw missingKey(error)
      }
    },
    release: (meta) => converter.release(meta),
    read: (answer, position, prepared) =>
      nativeResponse({ ...answerOf(answer), warnings: prepared.warnings }, position, dialect, prepared),
  })
}

function missingKey(error: unknown): unknown {
  const isMissing = String(peek(error, 'message')).startsWith('Could not resolve authentication method')
  if (!isMissing) return error
  const message = 'The client of Anthropic has no API key. Set `ANTHROPIC_API_KEY`, or pass `apiKey` to the client.'
  return new ToolFailure(message, { reason: 'denied', cause: error })
}

function toolOf(spec: AgentToolSpec, strict: boolean): { readonly tool: Anthropic.Tool; readonly strict: boolean } {
  const strictTool = strict ? openAiTool(spec) : undefined
  if (strictTool?.strict === true) {
    const { name, description, parameters } = strictTool.tool.function
    return { tool: { name, description, input_schema: { ...parameters, type: 'object' }, strict: true }, strict: true }
  }
  const { tool } = anthropicTool(spec)
  const given: readonly unknown[] = spec.examples
  const examples = given.filter(isFields).map((example) => ({ ...example }))
  return { tool: examples.length === 0 ? tool : { ...tool, input_examples: examples }, strict: false }
}

interface RequestParts {
  readonly fields: Omit<Params, 'messages' | 'max_tokens'> & { readonly max_tokens?: number }
  readonly converter: TurnConverter<ApiMessage>
  readonly marker: Anthropic.CacheControlEphemeral | undefined
}

function preparedRequest(
  request: ModelRequest,
  projected: ProjectedRequest<Anthropic.Tool>,
  { fields: { tool_choice: ownChoice, ...fields }, converter, marker }: RequestParts,
): Prepared {
  const { tools, format } = projected
  const { fields: ofRun, warnings } = runFields(request.fields, NAME, {
    ...{ model: 'model', temperature: 'temperature', top_p: 'top_p' },
    ...{ max_tokens: 'max_tokens', max_completion_tokens: 'max_tokens' },
    stop: (stop) => ({ stop_sequences: [stop].flat() }),
    tool_choice: (choice) =>
      peek(choice, 'type') === 'allowed_tools' ? undefined : { tool_choice: toolChoice(choice) },
    parallel_tool_calls: (isParallel) => ({ parallel: isParallel }),
  })
  const { tool_choice: choiceOfRun, parallel, ...others } = ofRun
  const choice = choiceOfRun ?? ownChoice ?? (parallel === false ? { type: 'auto' } : undefined)
  const isSingle = parallel === false && peek(choice, 'type') !== 'none'
  const { instructions, messages } = converter.convert(request, addTurn)
  const unsupported = format !== undefined && !format.strict
  const system = [
    ...instructions,
    // The API rejects schemas that are not in strict form.
    ...(unsupported ? [`Answer only with JSON that matches this JSON Schema: ${JSON.stringify(format.schema)}`] : []),
  ]
  const blocks = system.filter((text) => text !== '').map((text) => ({ type: 'text' as const, text }))
  const body: Params = {
    max_tokens: 16_000,
    ...fields,
    ...others,
    messages: marked(messages, marker),
    ...(blocks.length > 0 && { system: withMarker(blocks, marker) }),
    ...(tools.length > 0 && {
      tools: withMarker(tools, marker),
      ...(choice !== undefined && {
        tool_choice: { ...Object(choice), ...(isSingle && { disable_parallel_tool_use: true }) },
      }),
    }),
    ...(format?.strict === true && {
      output_config: { ...fields.output_config, format: { type: 'json_schema', schema: format.schema } },
    }),
  }
  return { ...projected, body, warnings }
}

function toolChoice(choice: unknown): unknown {
  if (choice === 'required') return { type: 'any' }
  if (typeof choice === 'string') return { type: choice }
  const name = peek(peek(choice, 'function'), 'name')
  return name === undefined ? choice : { type: 'tool', name }
}

function withMarker<Item extends object>(items: readonly Item[], marker: RequestParts['marker']): Item[] {
  const last = items.at(-1)
  if (last === undefined || marker === undefined) return [...items]
  return [...items.slice(0, -1), { ...last, cache_control: marker }]
}

/** The API caches the prompt up to the block with the marker. The next request of the run then reads this part of the prompt from the cache. */
function marked(messages: Anthropic.MessageParam[], marker: RequestParts['marker']): Anthropic.MessageParam[] {
  const last = messages.at(-1)
  if (last?.role !== 'user' || typeof last.content === 'string') return messages
  return [...messages.slice(0, -1), { role: 'user', content: withMarker(last.content, marker) }]
}

interface ApiMessage {
  readonly role: 'user' | 'assistant'
  readonly content: Block[]
}

/** Appends to the last message if it has the same role, because the API requires alternating roles. */
function addTurn(messages: ApiMessage[], turn: Turn): void {
  const role = turn.role === 'assistant' ? 'assistant' : 'user'
  const content = blocksOf(turn)
  const last = messages.at(-1)
  if (last?.role === role) messages.splice(-1, 1, { role, content: [...last.content, ...content] })
  else if (content.length > 0) messages.push({ role, content })
}

function blocksOf(turn: Turn): Block[] {
  if (turn.role === 'user') return turn.parts.flatMap(partBlocks)
  if (turn.role === 'tool') {
    return turn.results.map(({ call, text }) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      ...(text !== '' && { content: text }),
    }))
  }
  const { text, calls, content } = turn
  const uses = calls.map(({ id, name, input }): Block => ({ type: 'tool_use', id, name, input }))
  if (content === undefined) return [...textBlocks(text), ...uses]
  let index = 0
  // The blocks are those that the API returned.
  return content.map((block) => (peek(block, 'type') === 'tool_use' ? uses[index++] : block) as unknown as Block)
}

/** Returns no block for a blank text, because the API rejects blank texts. */
function textBlocks(text: string): Block[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }]
}

/** Media types that all current models of Anthropic accept. */
const MEDIA_TYPES: readonly string[] = [...IMAGE_TYPES, 'application/pdf']

const TEXT_TYPES: readonly string[] = ['text/plain', 'text/markdown', 'text/csv', 'application/json']

function partBlocks(part: TurnPart): Block[] {
  if (part.type === 'text') return textBlocks(part.text)
  if (part.type === 'image_url') return [{ type: 'image', source: { type: 'url', url: part.url } }]
  const { mediaType, data, filename } = part
  const title = filename === undefined ? {} : { title: filename }
  if (TEXT_TYPES.includes(mediaType)) {
    const text = new TextDecoder().decode(Uint8Array.from(atob(data), (char) => char.charCodeAt(0)))
    return [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: text }, ...title }]
  }
  if (mediaType === 'application/pdf') {
    return [{ type: 'document', source: { type: 'base64', media_type: mediaType, data }, ...title }]
  }
  if (mediaType.startsWith('image/')) {
    const media_type = mediaType as Anthropic.Base64ImageSource['media_type']
    return [{ type: 'image', source: { type: 'base64', media_type, data } }]
  }
  return textBlocks(`This file is not shown: models of Anthropic do not accept ${mediaType}.`)
}

const dialect = { name: NAME, read: readContent }

function readContent(content: readonly JsonValue[]): ContentFacts {
  const texts: string[] = []
  const thoughts: string[] = []
  const calls: { id: string; name: string; arguments: string }[] = []
  let hasMore = false
  for (const block of content) {
    const [type, text, thinking] = [peek(block, 'type'), peek(block, 'text'), peek(block, 'thinking')]
    if (type === 'text' && typeof text === 'string') texts.push(text)
    else if (type === 'tool_use') {
      const [id, name] = [String(peek(block, 'id') ?? ''), String(peek(block, 'name') ?? '')]
      calls.push({ id, name, arguments: receivedArguments(peek(block, 'input')) })
    } else {
      hasMore = true
      if (typeof thinking === 'string') thoughts.push(thinking)
    }
  }
  return { text: texts.join(''), calls, reasoning: thoughts.join('\n'), hasMore }
}

const FINISH_REASONS: ReadonlyMap<unknown, string> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
])

function answerOf(message: unknown): NativeAnswer {
  if (!isFields(message)) throw new ModelResponseError('not_json')
  if (isFields(message.error)) throw errorResponse(message.error)
  const { content, stop_reason: reason, stop_details: details, model, id, usage } = message
  if (!Array.isArray(content)) throw new ModelResponseError('no_choices')
  const blocks = content.filter(isFields) as readonly JsonValue[]
  if (blocks.length < content.length) throw new ModelResponseError('malformed_message', { cause: message })
  const isRefusal = reason === 'refusal'
  const explanation = peek(details, 'explanation')
  return {
    content: isRefusal ? [] : blocks,
    finishReason:
      typeof reason === 'string' ? (FINISH_REASONS.get(reason) ?? (isRefusal ? 'stop' : reason)) : undefined,
    refusal: isRefusal ? refusalText(blocks, explanation) : undefined,
    usage: usageOf(usage),
    model: typeof model === 'string' ? model : undefined,
    id,
  }
}

function refusalText(blocks: readonly JsonValue[], explanation: unknown): string {
  const { text } = readContent(blocks)
  if (text !== '') return text
  return typeof explanation === 'string' && explanation !== '' ? explanation : 'The model refused to answer.'
}

function usageOf(usage: unknown) {
  const [read, written] = [peek(usage, 'cache_read_input_tokens'), peek(usage, 'cache_creation_input_tokens')]
  const input = peek(usage, 'input_tokens')
  // The API counts cached tokens separately.
  const all = typeof input === 'number' ? input + Number(read ?? 0) + Number(written ?? 0) : undefined
  return tokenUsage({
    promptTokens: all,
    completionTokens: peek(usage, 'output_tokens'),
    cachedPromptTokens: read,
    cacheWritePromptTokens: written,
    reasoningTokens: peek(peek(usage, 'output_tokens_details'), 'thinking_tokens'),
  })
}

/**
 * Does not use the stream helper of the client, because this helper drops arguments that are not valid JSON.
 *
 * @throws {ModelResponseError} if the stream ends early or has invalid events
 */
async function streamedMessage(
  client: Anthropic,
  body: Params,
  signal: AbortSignal,
  { emit, chunkReceived }: Pick<Sending<ModelDelta>, 'emit' | 'chunkReceived'>,
): Promise<unknown> {
  const pending = client.messages.create({ ...body, stream: true }, { signal, maxRetries: 0 })
  const whole = await wholeResponse(pending)
  if (whole !== undefined) return whole.json
  const message = new StreamedMessage()
  for await (const event of await pending) {
    chunkReceived()
    message.add(event, emit)
  }
  signal.throwIfAborted()
  return message.end()
}

type Fields = Record<string, unknown>

const APPENDED: ReadonlyMap<unknown, readonly [from: string, to: string]> = new Map([
  ['text_delta', ['text', 'text']],
  ['thinking_delta', ['thinking', 'thinking']],
  ['signature_delta', ['signature', 'signature']],
  ['input_json_delta', ['partial_json', 'partial_json']],
] as const)

class StreamedMessage {
  #message: Fields | undefined
  readonly #blocks: Fields[] = []
  #isEmpty = true
  #isComplete = false

  add(event: unknown, emit: (delta: ModelDelta) => void): void {
    this.#isEmpty = false
    const [type, index] = [peek(event, 'type'), peek(event, 'index')]
    if (type === 'message_start') this.#message = { ...Object(peek(event, 'message')) }
    if (type === 'content_block_start') this.#blocks.push({ ...Object(peek(event, 'content_block')) })
    if (type === 'content_block_delta') this.#append(this.#blocks[Number(index)], peek(event, 'delta'), emit)
    if (type === 'message_delta') this.#change(event)
    if (type === 'message_stop') this.#isComplete = true
  }

  end(): Fields {
    const message = this.#message
    if (message === undefined) throw new ModelResponseError(this.#isEmpty ? 'truncated' : 'no_choices')
    if (!this.#isComplete) throw new ModelResponseError('truncated')
    return { ...message, content: this.#blocks.map(finished) }
  }

  #append(block: Fields | undefined, delta: unknown, emit: (delta: ModelDelta) => void): void {
    const [from, to] = APPENDED.get(peek(delta, 'type')) ?? ['', '']
    const text = from === '' ? undefined : peek(delta, from)
    if (block === undefined || (from !== '' && typeof text !== 'string')) {
      throw new ModelResponseError('malformed_message', { cause: delta })
    }
    if (peek(delta, 'type') === 'citations_delta') {
      block.citations = [...(Array.isArray(block.citations) ? block.citations : []), peek(delta, 'citation')]
    }
    if (typeof text !== 'string') return
    block[to] = String(block[to] ?? '') + text
    if (to === 'text') emit({ type: 'text', text })
    if (to === 'thinking') emit({ type: 'reasoning', text })
    if (to === 'partial_json') {
      emit({ type: 'arguments', tool: String(block.name), toolCallId: String(block.id), text })
    }
  }

  #change(event: unknown): void {
    const counts = Object.entries(Object(peek(event, 'usage'))).filter(([, count]) => count !== null)
    this.#message = {
      ...this.#message,
      ...Object(peek(event, 'delta')),
      usage: { ...Object(this.#message?.usage), ...Object.fromEntries(counts) },
    }
  }
}

function finished({ partial_json: json, ...block }: Fields): Fields {
  if (block.type !== 'tool_use' || typeof json !== 'string' || json === '') return block
  return { ...block, input: inputOf(json) }
}
