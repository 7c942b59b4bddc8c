import { OpenAI } from 'openai'
import type { AgentBuilder } from '../agents/agent-builder.js'
import { assistantMessage, messageText } from '../agents/model-response.js'
import { ModelResponseError } from '../agents/model-response-error.js'
import { base as plainBase, standard as plainStandard } from '../agents/standard-agent.js'
import { requireMedia } from '../call/content.js'
import { peek, peekFirst } from '../call/tool-failure.js'
import { ReplyAccumulator, StreamedCalls } from '../chat/replies.js'
import { isFields } from '../schema/json-values.js'
import type { ModelCall, ModelDelta, ModelDriver, ModelResponse } from '../types/planner.js'
import type { ModelUsage } from '../types/token-usage.js'
import { errorResponse, modelDriver, type Sending } from './model-driver.js'
import { sentArguments, tokenUsage } from './model-turns.js'
import {
  type CompletionDelta,
  type OpenAiDriverOptions,
  type PreparedRequest,
  requestWriter,
} from './openai-request.js'
import { wholeResponse } from './whole-response.js'

/**
 * Creates a driver that sends requests to OpenAI's chat completions API with the application's `client`. The driver also works with other
 * servers that implement this API.
 *
 * The driver sends messages unchanged. Tools use strict mode where possible. The option `retry` controls how the driver retries temporary
 * failures. The driver disables the client's own retries. Aborting the run's signal immediately ends requests, streams and waits.
 *
 * `ask` rejects with errors of the client, and with `ModelResponseError` for unusable responses.
 *
 * @throws {RangeError} if `retry` contains an invalid number
 * @throws {TypeError} if `media` is invalid
 *
 * @example
 * const client = new OpenAI({ baseURL: 'http://localhost:11434/v1', apiKey: 'none' })
 * const driver = openAiDriver({ client, model: 'qwen3', temperature: 0 })
 */
export function openAiDriver(options: OpenAiDriverOptions): ModelDriver {
  const { client, model, stream = false, strict = true, retry, onDelta, extraBody, media, ...fields } = options
  requireMedia('openAiDriver', media)
  return modelDriver<PreparedRequest, CompletionDelta>({
    name: 'openai',
    provider: 'openai',
    model,
    retry,
    stream,
    onDelta,
    newDeltaReader,
    prepare: requestWriter(model, fields, strict, extraBody, media),
    send: (prepared, { signal, isStreamed, ...sending }) =>
      isStreamed
        ? streamedCompletion(client, prepared, signal, sending)
        : client.chat.completions.create(prepared.body, { signal, maxRetries: 0 }),
    read: modelResponse,
  })
}

/** Options of {@link openAiDriver} with an optional `client`. Default: `new OpenAI()`, which reads the API key from the environment. */
export interface OpenAiModelOptions extends Omit<OpenAiDriverOptions, 'client'> {
  readonly client?: OpenAI
}

/**
 * Returns an agent builder for a model with OpenAI's chat completions API. Unlike {@link standard}, this function sets no limits of its own: a run
 * has only the runtime's limit of 100 steps (`maxTurns`).
 *
 * @example
 * const agent = base({ model: 'gpt-5.2', temperature: 0 }).with(useTools(toolset('local', weather))).build()
 */
export function base(model: OpenAiModelOptions | ModelDriver): AgentBuilder {
  return plainBase(driverOf(model))
}

/**
 * Returns an agent builder for a model with OpenAI's chat completions API. A run has at most 20 steps, 32,768 tokens and 300 seconds.
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

/** Parts of a chunk without which the answer is complete. */
const OPTIONAL: ReadonlySet<string> = new Set(['/model', '/usage'])

async function streamedCompletion(
  client: OpenAI,
  { body }: PreparedRequest,
  signal: AbortSignal,
  { emit, chunkReceived }: Pick<Sending<CompletionDelta>, 'emit' | 'chunkReceived'>,
): Promise<unknown> {
  const request = { stream_options: { include_usage: true }, ...body, stream: true as const }
  const pending = client.chat.completions.create(request, { signal, maxRetries: 0 })
  const whole = await wholeResponse(pending)
  if (whole !== undefined) return whole.json
  const accumulator = new ReplyAccumulator()
  let id: unknown
  let isEmpty = true
  for await (const chunk of await pending) {
    chunkReceived()
    isEmpty = false
    id ??= peek(chunk, 'id')
    accumulator.add(chunk)
    // The accumulator reports invalid chunks.
    const choices = Array.isArray(chunk?.choices) ? chunk.choices : []
    for (const choice of choices) if (choice?.delta && !choice.index) emit(choice.delta)
  }
  // The client ends an aborted stream without an error, as if the stream were complete.
  signal.throwIfAborted()
  const { message, finishReason, usage, model, issues } = accumulator.reply()
  for (const issue of issues) {
    const { code, message: detail } = issue
    if (code === 'no_choice') throw new ModelResponseError(isEmpty ? 'truncated' : 'no_choices')
    if (code === 'unfinished') throw new ModelResponseError('truncated')
    if (code === 'malformed_part' && !OPTIONAL.has(issue.path)) {
      throw new ModelResponseError('malformed_message', { detail })
    }
  }
  return { choices: [{ message, finish_reason: finishReason }], usage, model, id }
}

/** Only the first part of a streamed call contains the id and the tool name of the call. */
function newDeltaReader(): (delta: CompletionDelta) => readonly ModelDelta[] {
  const calls = new StreamedCalls()
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
  return (delta) => {
    const reasoning = textOf(peek(delta, 'reasoning_content') ?? peek(delta, 'reasoning'))
    const text = textOf(delta.content) + textOf(delta.refusal)
    const parts: ModelDelta[] = []
    if (reasoning !== '') parts.push({ type: 'reasoning', text: reasoning })
    if (text !== '') parts.push({ type: 'text', text })
    for (const part of delta.tool_calls ?? []) {
      const call = calls.callOf(part)
      // The accumulator reports invalid parts.
      call.identify(part, 'function', '', () => undefined)
      const { id: toolCallId, name: tool } = call
      if (toolCallId !== '') parts.push({ type: 'arguments', tool, toolCallId, text: textOf(part.function?.arguments) })
    }
    return parts
  }
}

function modelResponse(
  completion: unknown,
  position: number,
  { restoreArguments, format }: PreparedRequest,
): ModelResponse {
  if (!isFields(completion)) throw new ModelResponseError('not_json')
  if (isFields(completion.error)) throw errorResponse(completion.error)
  const choice: unknown = Array.isArray(completion.choices) ? completion.choices[0] : undefined
  if (!isFields(choice)) throw new ModelResponseError('no_choices')
  const message = assistantMessage(choice.message, position)
  const finishReason = stringOf(choice.finish_reason)
  const model = stringOf(completion.model)
  const id = stringOf(completion.id)
  const usage = usageOf(completion.usage)
  const requested = message.tool_calls ?? []
  const calls = requested.map((call, index): ModelCall => {
    if (call.type === 'custom') return { tool: call.custom.name, arguments: call.custom.input, toolCallId: call.id }
    const { name, arguments: json } = call.function
    const sent = sentArguments(json, finishReason === 'length' && index === requested.length - 1)
    return { tool: name, arguments: restoreArguments(name, sent), toolCallId: call.id }
  })
  return {
    message,
    calls,
    ...(format !== undefined && calls.length === 0 && { output: format.restore(messageText(message)) }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
    ...(id !== undefined && { id }),
  }
}

function usageOf(usage: unknown): ModelUsage | undefined {
  return tokenUsage({
    promptTokens: peek(usage, 'prompt_tokens'),
    completionTokens: peek(usage, 'completion_tokens'),
    cachedPromptTokens: peekFirst(usage, 'prompt_tokens_details.cached_tokens'),
    cacheWritePromptTokens: peekFirst(usage, 'prompt_tokens_details.cache_write_tokens'),
    reasoningTokens: peekFirst(usage, 'completion_tokens_details.reasoning_tokens'),
  })
}

function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
