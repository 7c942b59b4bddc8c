import { OpenAI } from 'openai'
import { ModelResponseError } from '../agents/model-response-error.js'
import { requireMedia } from '../call/content.js'
import { peek } from '../call/tool-failure.js'
import { type OpenAiResponsesTool, openAiTool } from '../projections/openai.js'
import { isFields } from '../schema/json-values.js'
import type { MediaOptions } from '../types/content.js'
import type { JsonValue } from '../types/json.js'
import type { ModelDelta, ModelDriver, ModelRequest } from '../types/planner.js'
import type { ModelUsage } from '../types/token-usage.js'
import { errorResponse, type ModelDriverOptions, modelDriver, type Sending } from './model-driver.js'
import { type ProjectedRequest, requestProjector } from './model-formats.js'
import {
  allowedTools,
  type ContentFacts,
  jsonOfInput,
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

type Params = OpenAI.Responses.ResponseCreateParamsNonStreaming
type InputItem = OpenAI.Responses.ResponseInputItem

/** Fields that the driver controls, and fields for data that OpenAI stores. */
type OwnField =
  | 'input'
  | 'instructions'
  | 'tools'
  | 'stream'
  | 'stream_options'
  | 'background'
  | 'conversation'
  | 'previous_response_id'

/** Options for {@link openAiResponsesDriver}: the client, the model, retries, streaming, and fields of the Responses API. */
export interface OpenAiResponsesDriverOptions extends Omit<Params, OwnField>, ModelDriverOptions {
  /**
   * Client of OpenAI's library. Configures the address, API key, headers, timeout and proxies. Default: `new OpenAI()`, which reads the API
   * key from the environment.
   */
  readonly client?: OpenAI
  readonly model: string
  /** If `true`, OpenAI stores the responses. In both cases, each request contains the complete conversation. Default: `false`. */
  readonly store?: boolean
  /**
   * Additional data that the API includes in the response. Default: `['reasoning.encrypted_content']`, so that the model can continue its reasoning
   * after a tool call. For models without reasoning, such as `gpt-4.1`, the default is `[]`, because the API rejects `reasoning.encrypted_content`
   * for these models.
   */
  readonly include?: OpenAI.Responses.ResponseIncludable[]
  /** If `true`, uses strict mode for tools and structured output where possible. Default: `true`. */
  readonly strict?: boolean
  /** Images that the model accepts in tool results. Default: images in common formats of at most 3.75 MB. */
  readonly media?: MediaOptions
}

interface Prepared extends ProjectedRequest<OpenAiResponsesTool> {
  readonly body: Params
  readonly warnings: readonly string[]
}

const NAME = 'openai-responses'

/**
 * Creates a driver that sends requests to OpenAI's Responses API.
 *
 * Each request contains the complete conversation. By default, OpenAI stores nothing. The driver stores the encrypted reasoning in the
 * conversation, and sends this reasoning unchanged in later requests. Tools use strict mode where possible. The option `retry` controls how the
 * driver retries temporary failures. The driver disables the client's own retries.
 *
 * `ask` rejects with errors of the client, and with `ModelResponseError` for unusable responses.
 *
 * @throws {OpenAIError} if `client` is omitted and the environment has no API key
 * @throws {RangeError} if `retry` contains an invalid number
 * @throws {TypeError} if `media` is invalid
 *
 * @example
 * const driver = openAiResponsesDriver({ model: 'gpt-5.2', reasoning: { effort: 'low', summary: 'auto' } })
 * const support = registerSupport(new Runtime(), { planner: modelPlanner(driver), toolsets: { orders: { client } } })
 */
export function openAiResponsesDriver(options: OpenAiResponsesDriverOptions): ModelDriver {
  const { stream = false, strict = true, retry, onDelta, media, client: ofApplication, ...fields } = options
  const client = ofApplication ?? new OpenAI()
  requireMedia('openAiResponsesDriver', media)
  const project = requestProjector((spec) => {
    const { tool, strict: isStrict } = openAiTool(spec, { strict })
    return { tool: { type: tool.type, ...tool.function }, strict: isStrict }
  }, strict)
  const converter = new TurnConverter<InputItem>(dialect, media)
  return modelDriver<Prepared, ModelDelta>({
    name: NAME,
    provider: 'openai',
    model: fields.model,
    retry,
    stream,
    onDelta,
    prepare: (request) => preparedRequest(request, project(request), fields, converter),
    send: async ({ body }, { signal, isStreamed, ...sending }) => {
      if (isStreamed) return streamedResponse(client, body, signal, sending)
      try {
        return await client.responses.create(body, { signal, maxRetries: 0 })
      } catch (error) {
        // The client reads `output` without a check. The errors of `fetch` have the same class, and a cause.
        const isUnchecked = error instanceof TypeError && error.cause === undefined
        throw isUnchecked ? new ModelResponseError('no_choices', { cause: error }) : error
      }
    },
    release: (meta) => converter.release(meta),
    read: (answer, position, prepared) =>
      nativeResponse({ ...answerOf(answer), warnings: prepared.warnings }, position, dialect, prepared),
  })
}

/** Matches the names of models that do not reason. For these models, the API rejects requests for encrypted reasoning. */
const WITHOUT_REASONING = /^(ft:)?(gpt-3|gpt-4|chatgpt|gpt-5(\.\d+)?-chat)/

function preparedRequest(
  request: ModelRequest,
  projected: ProjectedRequest<OpenAiResponsesTool>,
  ofDriver: Omit<OpenAiResponsesDriverOptions, 'client'>,
  converter: TurnConverter<InputItem>,
): Prepared {
  const { tools, format } = projected
  const { fields: ofRun, warnings } = runFields(request.fields, NAME, {
    ...{ model: 'model', temperature: 'temperature', top_p: 'top_p', top_logprobs: 'top_logprobs' },
    ...{ max_tokens: 'max_output_tokens', max_completion_tokens: 'max_output_tokens' },
    ...{ parallel_tool_calls: 'parallel_tool_calls', service_tier: 'service_tier', store: 'store' },
    ...{ metadata: 'metadata', user: 'user', safety_identifier: 'safety_identifier' },
    ...{ prompt_cache_key: 'prompt_cache_key', prompt_cache_retention: 'prompt_cache_retention' },
    tool_choice: (choice) => ({ tool_choice: toolChoice(choice) }),
    reasoning_effort: (effort) => ({ reasoning: { ...ofDriver.reasoning, effort } }),
    verbosity: (verbosity) => ({ text: { ...ofDriver.text, verbosity } }),
  })
  const { tool_choice, parallel_tool_calls, text, ...fields }: Omit<Params, OwnField> = { ...ofDriver, ...ofRun }
  const { instructions, messages } = converter.convert(request, (items, turn) => items.push(...itemsOf(turn)))
  const model = String(fields.model)
  const body: Params = {
    store: false,
    include: WITHOUT_REASONING.test(model) ? [] : ['reasoning.encrypted_content'],
    ...fields,
    ...(instructions.length > 0 && { instructions: instructions.join('\n\n') }),
    input: messages,
    ...(tools.length > 0 && {
      tools: tools.map(({ parameters, ...tool }) => ({ ...tool, parameters: { ...parameters } })),
      ...(tool_choice !== undefined && { tool_choice }),
      ...(parallel_tool_calls !== undefined && { parallel_tool_calls }),
    }),
    ...((text !== undefined || format !== undefined) && {
      text: {
        ...text,
        ...(format !== undefined && {
          format: { type: 'json_schema', name: format.name, schema: format.schema, strict: format.strict },
        }),
      },
    }),
  }
  return { ...projected, body, warnings }
}

function toolChoice(choice: unknown): unknown {
  const allowed = allowedTools(choice)
  if (allowed !== undefined) {
    const tools = allowed.names.map((name) => ({ type: 'function', name }))
    return { type: 'allowed_tools', mode: allowed.isRequired ? 'required' : 'auto', tools }
  }
  const name = peek(peek(choice, 'function'), 'name')
  return name === undefined ? choice : { type: 'function', name }
}

function itemsOf(turn: Turn): InputItem[] {
  if (turn.role === 'user') {
    return [{ role: turn.isInstruction === true ? 'developer' : 'user', content: turn.parts.map(inputPart) }]
  }
  if (turn.role === 'tool') {
    return turn.results.map(({ call, text }) => ({ type: 'function_call_output', call_id: call.id, output: text }))
  }
  const { text, calls, content } = turn
  if (content === undefined) {
    return [
      ...(text === '' ? [] : [{ role: 'assistant' as const, content: text }]),
      ...calls.map(({ id, name, input }) => {
        return { type: 'function_call' as const, call_id: id, name, arguments: jsonOfInput(input) }
      }),
    ]
  }
  let index = 0
  // The items are those that the API returned. Calls with the same id have got new ids.
  return content.map((item) => {
    const call = peek(item, 'type') === 'function_call' ? calls[index++] : undefined
    return { ...Object(item), ...(call !== undefined && { call_id: call.id, name: call.name }) }
  })
}

function inputPart(part: TurnPart): OpenAI.Responses.ResponseInputContent {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  const detail = part.detail ?? 'auto'
  if (part.type === 'image_url') return { type: 'input_image', image_url: part.url, detail }
  const { mediaType, data, filename } = part
  const url = `data:${mediaType};base64,${data}`
  if (mediaType.startsWith('image/')) return { type: 'input_image', image_url: url, detail }
  if (mediaType.startsWith('audio/')) {
    return { type: 'input_text', text: `This file is not shown: the Responses API does not accept ${mediaType}.` }
  }
  // The API requires a name, and reads the format of the file from it.
  const extension = EXTENSIONS[mediaType] ?? mediaType.replace(/^.*\//, '')
  return { type: 'input_file', filename: filename ?? `file.${extension}`, file_data: url }
}

const OFFICE = 'application/vnd.openxmlformats-officedocument'

/** File extensions that differ from the subtype of their media type. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  ...{ 'text/plain': 'txt', 'text/markdown': 'md', 'text/tab-separated-values': 'tsv' },
  ...{ 'application/msword': 'doc', [`${OFFICE}.wordprocessingml.document`]: 'docx' },
  ...{ 'application/vnd.ms-excel': 'xls', [`${OFFICE}.spreadsheetml.sheet`]: 'xlsx' },
  ...{ 'application/vnd.ms-powerpoint': 'ppt', [`${OFFICE}.presentationml.presentation`]: 'pptx' },
}

const dialect = { name: NAME, read: readContent }

function readContent(content: readonly JsonValue[]): ContentFacts {
  const texts: string[] = []
  const refusals: string[] = []
  const thoughts: string[] = []
  const calls: { id: string; name: string; arguments: string }[] = []
  let hasMore = false
  for (const item of content) {
    const type = peek(item, 'type')
    if (type === 'message') {
      for (const part of partsOf(item, 'content')) {
        texts.push(stringOf(part, 'text'))
        refusals.push(stringOf(part, 'refusal'))
      }
      // The API requires the phase of a message in later requests.
      hasMore ||= (peek(item, 'phase') ?? null) !== null
    } else if (type === 'function_call') {
      const sent = peek(item, 'arguments')
      // Some servers parse the arguments.
      const json = typeof sent === 'string' ? sent : receivedArguments(sent)
      calls.push({ id: stringOf(item, 'call_id'), name: stringOf(item, 'name'), arguments: json })
    } else {
      hasMore = true
      if (type !== 'reasoning') continue
      for (const part of [...partsOf(item, 'summary'), ...partsOf(item, 'content')])
        thoughts.push(stringOf(part, 'text'))
    }
  }
  const refusal = refusals.join('')
  return {
    text: texts.join(''),
    calls,
    reasoning: thoughts.join('\n'),
    ...(refusal !== '' && { refusal }),
    hasMore,
  }
}

function partsOf(item: unknown, field: string): readonly unknown[] {
  const parts = peek(item, field)
  return Array.isArray(parts) ? parts : []
}

function stringOf(value: unknown, field: string): string {
  const found = peek(value, field)
  return typeof found === 'string' ? found : ''
}

const FAILED: ReadonlySet<unknown> = new Set(['failed', 'cancelled'])

const INCOMPLETE: ReadonlyMap<unknown, string> = new Map([
  ['max_output_tokens', 'length'],
  ['content_filter', 'content_filter'],
])

function answerOf(response: unknown): NativeAnswer {
  if (!isFields(response)) throw new ModelResponseError('not_json')
  const { output, status, error, incomplete_details: details, usage, model, id } = response
  if (isFields(error)) throw errorResponse(error, response)
  if (FAILED.has(status)) throw new ModelResponseError('error_response', { cause: response })
  if (!Array.isArray(output)) throw new ModelResponseError('no_choices')
  const items = output.filter(isFields) as readonly JsonValue[]
  if (items.length < output.length) throw new ModelResponseError('malformed_message', { cause: response })
  const reason = peek(details, 'reason')
  const usual = items.some((item) => peek(item, 'type') === 'function_call') ? 'tool_calls' : 'stop'
  return {
    content: items,
    finishReason: status === 'incomplete' ? (INCOMPLETE.get(reason) ?? String(reason ?? status)) : usual,
    usage: usageOf(usage),
    model: typeof model === 'string' ? model : undefined,
    id,
  }
}

function usageOf(usage: unknown): ModelUsage | undefined {
  const input = peek(usage, 'input_tokens_details')
  return tokenUsage({
    promptTokens: peek(usage, 'input_tokens'),
    completionTokens: peek(usage, 'output_tokens'),
    cachedPromptTokens: peek(input, 'cached_tokens'),
    cacheWritePromptTokens: peek(input, 'cache_write_tokens'),
    reasoningTokens: peek(peek(usage, 'output_tokens_details'), 'reasoning_tokens'),
  })
}

const DELTAS: ReadonlyMap<unknown, ModelDelta['type']> = new Map<unknown, ModelDelta['type']>([
  ['response.output_text.delta', 'text'],
  ['response.refusal.delta', 'text'],
  ['response.reasoning_summary_text.delta', 'reasoning'],
  ['response.reasoning_text.delta', 'reasoning'],
  ['response.function_call_arguments.delta', 'arguments'],
])

/**
 * Types of the events that end a stream. These events contain the complete response. If a server omits the property `output`, the driver uses the
 * output items of the earlier events.
 */
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed'])

async function streamedResponse(
  client: OpenAI,
  body: Params,
  signal: AbortSignal,
  { emit, chunkReceived }: Pick<Sending<ModelDelta>, 'emit' | 'chunkReceived'>,
): Promise<unknown> {
  const pending = client.responses.create({ ...body, stream: true }, { signal, maxRetries: 0 })
  const whole = await wholeResponse(pending)
  if (whole !== undefined) return whole.json
  const calls = new Map<unknown, unknown>()
  const items = new Map<unknown, unknown>()
  let answer: unknown
  let isEmpty = true
  let hasEvents = false
  let hasDeltas = false
  // Reads the stream to its end, so that the connection can be used again.
  for await (const event of (await pending) as AsyncIterable<unknown>) {
    chunkReceived()
    isEmpty = false
    const [type, index, delta] = [peek(event, 'type'), peek(event, 'output_index'), peek(event, 'delta')]
    if (type === 'error') throw errorResponse(Object(event))
    if (ENDS.has(type)) answer = peek(event, 'response')
    hasEvents ||= typeof type === 'string'
    if (type === 'response.output_item.added') calls.set(index, peek(event, 'item'))
    if (type === 'response.output_item.done') items.set(index, peek(event, 'item'))
    const kind = DELTAS.get(type)
    if (kind === undefined) continue
    hasDeltas = true
    if (typeof delta !== 'string') throw new ModelResponseError('malformed_message', { cause: event })
    if (kind !== 'arguments') emit({ type: kind, text: delta })
    else {
      const call = calls.get(index)
      emit({ type: kind, tool: stringOf(call, 'name'), toolCallId: stringOf(call, 'call_id'), text: delta })
    }
  }
  signal.throwIfAborted()
  if (answer === undefined) throw new ModelResponseError(hasEvents || isEmpty ? 'truncated' : 'no_choices')
  const output = peek(answer, 'output')
  if ((Array.isArray(output) && output.length > 0) || FAILED.has(peek(answer, 'status'))) return answer
  if (items.size > 0) {
    const inOrder = [...items].sort(([a], [b]) => Number(a) - Number(b))
    return { ...Object(answer), output: inOrder.map(([, item]) => item) }
  }
  if (hasDeltas) throw new ModelResponseError('truncated')
  return answer
}
