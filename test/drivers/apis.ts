import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { aiSdkDriver } from '../../packages/runtime/src/ai-sdk.js'
import { anthropicDriver } from '../../packages/runtime/src/anthropic.js'
import { geminiDriver } from '../../packages/runtime/src/gemini.js'
import { openAiDriver, openAiResponsesDriver } from '../../packages/runtime/src/openai.js'
import { type Api, event, pieces, type Reply, SIGNATURE, USAGE } from './scripted-api.js'

const usage = {
  prompt_tokens: USAGE.prompt,
  completion_tokens: USAGE.completion,
  total_tokens: USAGE.prompt + USAGE.completion,
  prompt_tokens_details: { cached_tokens: USAGE.cached },
  completion_tokens_details: { reasoning_tokens: USAGE.reasoning },
}

/** Chat completions. Reasoning is the field `reasoning_content`, which servers such as DeepSeek send. */
const chat: Omit<Api, 'name' | 'driver'> = {
  isStream: (body) => body.stream === true,
  whole: (reply) => ({
    id: 'c-1',
    object: 'chat.completion',
    created: 1,
    model: 'tiny-1',
    choices: [{ index: 0, message: chatMessage(reply), finish_reason: chatFinish(reply) }],
    usage,
  }),
  events: (reply) => {
    const { tool_calls: calls = [], content, reasoning_content, ...rest } = chatMessage(reply)
    const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
      event({
        id: 'c-1',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'tiny-1',
        choices: [{ index: 0, delta, finish_reason }],
        ...more,
      })
    return [
      chunk({ ...rest }),
      ...pieces(reasoning_content ?? '').map((piece) => chunk({ reasoning_content: piece })),
      ...pieces(content ?? '').map((piece) => chunk({ content: piece })),
      ...calls.flatMap(({ function: { name, arguments: json }, ...call }, index) => [
        chunk({ tool_calls: [{ index, ...call, function: { name, arguments: '' } }] }),
        ...pieces(json).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, chatFinish(reply), { usage }),
      event('[DONE]'),
    ]
  },
  error: (status) => ({ error: { message: `error ${status}`, type: 'server_error', code: null, param: null } }),
  overloaded: event({ error: { message: 'Overloaded.', type: 'server_error', code: null, param: null } }),
  empty: { id: 'c-1', object: 'chat.completion', created: 1, model: 'tiny-1', choices: [] },
  kept: (reasoning) => [reasoning],
}

function chatMessage({ text, reasoning, refusal, calls = [] }: Reply) {
  return {
    role: 'assistant',
    content: text ?? null,
    ...(refusal !== undefined && { refusal }),
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ id, name, arguments: json }) => {
        return { id, type: 'function', function: { name, arguments: json } }
      }),
    }),
  }
}

const chatFinish = ({ finish, calls = [] }: Reply): string => finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')

const AUTOMATIC = 'The API caches prompts without markers.'

const openAi: Api = {
  ...chat,
  without: { 'cache markers': AUTOMATIC },
  name: 'openAiDriver',
  driver: (baseURL, options) =>
    openAiDriver({ client: new OpenAI({ baseURL, apiKey: 'key', logLevel: 'off' }), model: 'tiny-1', ...options }),
}

const openAiResponses: Api = {
  name: 'openAiResponsesDriver',
  driver: (baseURL, options) => {
    const client = new OpenAI({ baseURL, apiKey: 'key', logLevel: 'off' })
    return openAiResponsesDriver({ client, model: 'tiny-1', ...options })
  },
  isStream: (body) => body.stream === true,
  whole: (reply) => ({ ...response(), ...responseEnd(reply), output: responseItems(reply), usage: responseUsage }),
  events: (reply) => {
    const items = responseItems(reply)
    const send = (type: string, data: object) => event({ type, ...data }, type)
    const end = responseEnd(reply)
    return [
      send('response.created', { response: { ...response(), status: 'in_progress', output: [], usage: null } }),
      ...items.flatMap((item, output_index) => [
        send('response.output_item.added', { output_index, item: emptyItem(item) }),
        ...itemDeltas(item).map(({ type, text }) => send(type, { output_index, item_id: item.id, delta: text })),
        send('response.output_item.done', { output_index, item }),
      ]),
      send(`response.${end.status}`, { response: { ...response(), ...end, output: items, usage: responseUsage } }),
    ]
  },
  error: chat.error,
  overloaded: event({ type: 'error', code: 'server_error', message: 'Overloaded.', param: null }, 'error'),
  empty: { id: 'r-1', object: 'response', model: 'tiny-1', status: 'completed' },
  kept: () => [SIGNATURE],
  without: { 'cache markers': AUTOMATIC },
}

const responseUsage = {
  input_tokens: USAGE.prompt,
  input_tokens_details: { cached_tokens: USAGE.cached },
  output_tokens: USAGE.completion,
  output_tokens_details: { reasoning_tokens: USAGE.reasoning },
  total_tokens: USAGE.prompt + USAGE.completion,
}

function response() {
  return { id: 'r-1', object: 'response', created_at: 1, model: 'tiny-1', error: null, incomplete_details: null }
}

function responseEnd({ finish }: Reply) {
  if (finish === undefined) return { status: 'completed' }
  const reason = finish === 'length' ? 'max_output_tokens' : finish
  return { status: 'incomplete', incomplete_details: { reason } }
}

type Item = { readonly type: string; readonly id: string; readonly [field: string]: unknown }

function responseItems({ reasoning, text, refusal, calls = [] }: Reply): readonly Item[] {
  const content = [
    ...(text === undefined ? [] : [{ type: 'output_text', text, annotations: [] }]),
    ...(refusal === undefined ? [] : [{ type: 'refusal', refusal }]),
  ]
  const summary = [{ type: 'summary_text', text: reasoning }]
  return [
    ...(reasoning === undefined
      ? []
      : [{ type: 'reasoning', id: 'rs-1', summary, encrypted_content: SIGNATURE, status: 'completed' }]),
    ...(content.length === 0
      ? []
      : [{ type: 'message', id: 'msg-1', role: 'assistant', status: 'completed', content }]),
    ...calls.map(({ id, name, arguments: json }, index) => {
      return { type: 'function_call', id: `fc-${index}`, call_id: id, name, arguments: json, status: 'completed' }
    }),
  ]
}

function emptyItem(item: Item): Item {
  return item.type === 'function_call' ? { ...item, arguments: '' } : { ...item, content: [], summary: [] }
}

function itemDeltas({ type, arguments: json, content, summary }: Item): readonly { type: string; text: string }[] {
  const deltas = (name: string, text: unknown) => {
    return pieces(String(text ?? '')).map((piece) => ({ type: `response.${name}.delta`, text: piece }))
  }
  if (type === 'function_call') return deltas('function_call_arguments', json)
  const parts = [content, summary].flat() as readonly (Readonly<Record<string, unknown>> | undefined)[]
  return parts.flatMap((part) => {
    if (part?.type === 'refusal') return deltas('refusal', part.refusal)
    return deltas(part?.type === 'summary_text' ? 'reasoning_summary_text' : 'output_text', part?.text)
  })
}

const aiSdk: Api = {
  ...chat,
  name: 'aiSdkDriver',
  driver: (baseURL, options) => {
    const provider = createOpenAICompatible({
      name: 'tiny',
      baseURL,
      apiKey: 'key',
      includeUsage: true,
      supportsStructuredOutputs: true,
    })
    return aiSdkDriver(provider('tiny-1'), { strict: true, ...options })
  },
  without: {
    refusal: 'The AI SDK has no refusals.',
    'cache markers': 'Each provider has its own options.',
    'JSON instead of a stream': 'Providers return an empty stream.',
  },
}

const anthropic: Api = {
  name: 'anthropicDriver',
  driver: (baseURL, options) =>
    anthropicDriver({
      client: new Anthropic({ baseURL, apiKey: 'key', logLevel: 'off' }),
      model: 'tiny-1',
      ...options,
    }),
  isStream: (body) => body.stream === true,
  whole: (reply) => ({ ...anthropicMessage(reply), ...anthropicStop(reply), content: anthropicBlocks(reply) }),
  events: (reply) => {
    const send = (data: { readonly type: string }) => event(data, data.type)
    const { usage, ...message } = anthropicMessage(reply)
    return [
      send({
        type: 'message_start',
        message: { ...message, content: [], usage: { ...usage, output_tokens: 1 } },
      } as never),
      ...anthropicBlocks(reply).flatMap((block, index) => [
        send({ type: 'content_block_start', index, content_block: emptied(block) } as never),
        ...deltasOf(block, reply).map((delta) => send({ type: 'content_block_delta', index, delta } as never)),
        send({ type: 'content_block_stop', index } as never),
      ]),
      send({ type: 'message_delta', delta: anthropicStop(reply), usage: { output_tokens: USAGE.completion } } as never),
      send({ type: 'message_stop' }),
    ]
  },
  error: (status) => ({
    type: 'error',
    error: { type: status === 529 ? 'overloaded_error' : 'api_error', message: `error ${status}` },
  }),
  overloaded: event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded.' } }, 'error'),
  empty: { id: 'm-1', type: 'message', role: 'assistant', model: 'tiny-1' },
  kept: (reasoning) => [reasoning, SIGNATURE],
  without: {
    'content filter': 'The API reports refusals instead.',
  },
}

function anthropicMessage(_reply: Reply) {
  return {
    id: 'm-1',
    type: 'message',
    role: 'assistant',
    model: 'tiny-1',
    usage: {
      input_tokens: USAGE.prompt - USAGE.cached,
      cache_read_input_tokens: USAGE.cached,
      cache_creation_input_tokens: 0,
      output_tokens: USAGE.completion,
      output_tokens_details: { thinking_tokens: USAGE.reasoning },
    },
  }
}

function anthropicStop({ finish, refusal, calls = [] }: Reply) {
  const usual = calls.length > 0 ? 'tool_use' : 'end_turn'
  const stop_reason = refusal !== undefined ? 'refusal' : finish === 'length' ? 'max_tokens' : usual
  const stop_details = refusal === undefined ? null : { type: 'refusal', category: null, explanation: refusal }
  return { stop_reason, stop_details, stop_sequence: null }
}

type Block = { readonly type: string; readonly [field: string]: unknown }

function anthropicBlocks({ reasoning, text, calls = [] }: Reply): readonly Block[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: 'thinking', thinking: reasoning, signature: SIGNATURE }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, arguments: json }) => ({ type: 'tool_use', id, name, input: parsed(json) })),
  ]
}

/** APIs parse arguments of responses that are not streamed, so such responses cannot contain invalid JSON. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return {}
  }
}

function emptied(block: Block): Block {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' }
  return { ...block, input: {} }
}

function deltasOf(block: Block, { calls = [] }: Reply): readonly object[] {
  if (block.type === 'text') return pieces(String(block.text)).map((text) => ({ type: 'text_delta', text }))
  if (block.type === 'thinking') {
    return [
      ...pieces(String(block.thinking)).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: SIGNATURE },
    ]
  }
  const json = calls.find(({ id, name }) => id === block.id && name === block.name)?.arguments ?? ''
  return pieces(json).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
}

const gemini: Api = {
  name: 'geminiDriver',
  driver: (baseUrl, options) =>
    geminiDriver({ client: new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl } }), model: 'tiny-1', ...options }),
  isStream: (_, url) => url.includes(':streamGenerateContent'),
  whole: (reply) => geminiChunk(geminiParts(reply), geminiFinish(reply)),
  events: (reply) => [
    ...geminiParts(reply)
      .flatMap(geminiPieces)
      .map((part) => event(geminiChunk([part]))),
    event(geminiChunk([], geminiFinish(reply))),
  ],
  error: (code, retryAfter) => {
    const retry = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${retryAfter}s` }
    const details = retryAfter === undefined ? [] : [retry]
    return { error: { code, message: `error ${code}`, status: 'UNKNOWN', details } }
  },
  overloaded: event({ error: { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' } }),
  empty: { modelVersion: 'tiny-1' },
  kept: () => [SIGNATURE],
  structured: { marker: 'responseJsonSchema', text: '{"late":true}' },
  without: {
    refusal: 'The API has no refusals.',
    'strict tools': 'The API has no strict mode.',
    'cache markers': AUTOMATIC,
    'end before the first delta': 'The first event contains a delta.',
    'JSON instead of a stream': 'The client reads JSON as an unfinished stream.',
  },
}

function geminiChunk(parts: readonly GeminiPart[], finishReason?: string) {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, ...(finishReason !== undefined && { finishReason }) }],
    modelVersion: 'tiny-1',
    responseId: 'g-1',
    usageMetadata: {
      promptTokenCount: USAGE.prompt,
      candidatesTokenCount: USAGE.completion - USAGE.reasoning,
      thoughtsTokenCount: USAGE.reasoning,
      cachedContentTokenCount: USAGE.cached,
    },
  }
}

type GeminiPart = { readonly text?: string; readonly [field: string]: unknown }

/** Puts the signature of the thoughts on the first call, or else on the last text. */
function geminiParts({ reasoning, text, calls = [] }: Reply): readonly GeminiPart[] {
  const signature = reasoning !== undefined && { thoughtSignature: SIGNATURE }
  return [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...(text === undefined ? [] : [{ text, ...(calls.length === 0 && signature) }]),
    ...calls.map(({ id, name, arguments: json }, index) => {
      return { functionCall: { id, name, args: parsed(json) }, ...(index === 0 && signature) }
    }),
  ]
}

/** Splits a part for streaming. The signature of a text is in an additional part without text. */
function geminiPieces({ text, thoughtSignature, ...part }: GeminiPart): readonly GeminiPart[] {
  if (text === undefined) return [{ ...part, ...(thoughtSignature !== undefined && { thoughtSignature }) }]
  const end = thoughtSignature === undefined ? [] : [{ text: '', thoughtSignature }]
  return [...pieces(text).map((piece) => ({ ...part, text: piece })), ...end]
}

function geminiFinish({ finish }: Reply): string {
  return finish === 'length' ? 'MAX_TOKENS' : finish === 'content_filter' ? 'SAFETY' : 'STOP'
}

/** All drivers, with the API that each of them uses. */
export const apis: readonly Api[] = [openAi, openAiResponses, aiSdk, anthropic, gemini]

/** Rows of the table of features in `docs/model-drivers.md`, with the scenarios that test them. */
export const features: Readonly<Record<string, readonly string[]>> = {
  'streaming, parallel calls, [structured answers](models.md#structured-answers)': [
    'answer',
    'parallel calls',
    'structured answer',
  ],
  '[strict tools](projections.md)': ['strict tools'],
  'sends earlier reasoning to the model again': ['reasoning, next step', 'reasoning, resumed run'],
  'detects refusals of the model': ['refusal'],
  'usage includes cached and reasoning tokens': ['token usage'],
  'sets markers for the prompt cache': ['cache markers'],
  'images and PDF files in messages': ['image of a user', 'PDF file of a user'],
}
