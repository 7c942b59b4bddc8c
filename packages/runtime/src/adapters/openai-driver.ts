import { OpenAI } from 'openai'
import { type AgentBuilder, compiledRequest } from '../agents/agent-builder.js'
import { base as plainBase, standard as plainStandard } from '../agents/features.js'
import { ModelResponseError } from '../agents/model-answer-error.js'
import { replyMessage, spokenText } from '../agents/reply-message.js'
import { classify } from '../call/classify.js'
import { peek } from '../call/tool-failure.js'
import { ReplyAccumulator } from '../chat/replies.js'
import { isFields } from '../schema/json-values.js'
import type { ChatToolCall } from '../types/chat.js'
import type { FailureReason } from '../types/errors.js'
import type { MessageCompiler, ModelCall, ModelDriver, ModelResponse, RunMeta, TokenUsage } from '../types/planner.js'
import { modelRetry } from './model-retry.js'
import {
  type AnswerFormat,
  answerFormatter,
  type CompletionDelta,
  type CompletionRequest,
  type OpenAiDriverOptions,
  requestBody,
  type SentTools,
  toolSender,
} from './openai-request.js'

/**
 * Asks a model behind OpenAI's chat completions, or any server that speaks them, through the application's own client.
 *
 * The messages of the run are sent as they are, the tools in strict form where that can say them. Requests that fail for
 * the moment are sent again by the driver's own policy, whatever the client's. The signal of the run ends a request, a
 * stream and a wait at once.
 *
 * It rejects with the client's own errors, and with `ModelResponseError` for answers that are of no use.
 *
 * @throws {RangeError} when a number of `retry` is none.
 *
 * @example
 * const client = new OpenAI({ baseURL: 'http://localhost:11434/v1', apiKey: 'none' })
 * const driver = openAiDriver({ client, model: 'qwen3', temperature: 0 })
 */
export function openAiDriver(options: OpenAiDriverOptions): ModelDriver {
  return compilingDriver(options, undefined)
}

function compilingDriver(options: OpenAiDriverOptions, compiler: MessageCompiler | undefined): ModelDriver {
  const { client, model, stream = false, strict = true, retry, onDelta, extraBody, ...fields } = options
  const askAgain = modelRetry(retry)
  const sender = toolSender(strict)
  const formatter = answerFormatter(strict)
  return {
    name: 'openai',
    withMessageCompiler: (given) => compilingDriver(options, given),
    ask: async (given) => {
      const request = compiler === undefined ? given : await compiledRequest(given, compiler)
      const { meta, tools, responseFormat } = request
      let told = false
      const hear = (delta: CompletionDelta): void => {
        if (onDelta === undefined) return
        told = true
        tell(onDelta, delta, meta)
      }
      const ask = async () => {
        const sent = sender(tools)
        const format = responseFormat === undefined ? undefined : formatter(responseFormat)
        const body = requestBody({ model, fields, extraBody }, request, sent, format)
        const completion = await withSignal(meta.signal, (signal) =>
          stream ? streamedCompletion(body, { client, signal, onDelta: hear }) : wholeCompletion(client, body, signal),
        ).catch((error: unknown) => {
          throw requestError(error)
        })
        return modelAnswer(completion, { place: given.messages.length, sent, format })
      }
      return askAgain({ signal: meta.signal, ask, mayRepeat: () => !told })
    },
  }
}

/** What the server answered; the client says what it should be, not what it is. */
function wholeCompletion(client: OpenAI, body: CompletionRequest, signal: AbortSignal): Promise<unknown> {
  return client.chat.completions.create(body, { signal, maxRetries: 0 })
}

function tell(onDelta: NonNullable<OpenAiDriverOptions['onDelta']>, delta: CompletionDelta, meta: RunMeta): void {
  try {
    onDelta(delta, meta)
  } catch {
    // Documented: whoever listens harms nobody.
  }
}

/**
 * Work under a signal of its own, which follows another one until the work is over: the client never takes its listeners
 * away, and the signal of a run lives long.
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

/** How a stream is asked for. */
interface StreamContext {
  readonly client: OpenAI
  readonly signal: AbortSignal
  /** Told of each part. */
  readonly onDelta: (delta: CompletionDelta) => void
}

/**
 * A streamed answer, put together to what the server would have sent whole.
 *
 * @throws {ModelResponseError} when the stream ends before the message does, or holds parts that are none.
 */
async function streamedCompletion(
  body: CompletionRequest,
  { client, signal, onDelta }: StreamContext,
): Promise<unknown> {
  const request = { stream_options: { include_usage: true }, ...body, stream: true as const }
  const stream = await client.chat.completions.create(request, { signal, maxRetries: 0 })
  const accumulator = new ReplyAccumulator()
  for await (const chunk of stream) {
    accumulator.add(chunk)
    // Servers may send anything: the accumulator says what is wrong with it.
    const choices = Array.isArray(chunk?.choices) ? chunk.choices : []
    for (const choice of choices) if (choice?.delta && !choice.index) onDelta(choice.delta)
  }
  // The client ends an aborted stream as if it were whole.
  signal.throwIfAborted()
  const { message, finishReason, usage, model, issues } = accumulator.reply()
  for (const { code, message: detail } of issues) {
    if (code === 'no_choice') throw new ModelResponseError('no_choices')
    if (code === 'unfinished') throw new ModelResponseError('truncated')
    if (code === 'malformed_part') throw new ModelResponseError('malformed_message', { detail })
  }
  return { choices: [{ message, finish_reason: finishReason }], usage, model }
}

/** What the codes and types of errors mean that come without a status; any other one may pass. */
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

/** The error that a server sent where an answer was due: in the body of a good answer, or within a stream. */
function errorAnswer(error: object, cause: unknown = error): ModelResponseError {
  const [code, type] = [peek(error, 'code'), peek(error, 'type')]
  // Some send a status as the code.
  const status = typeof code === 'number' ? classify({ status: code }, 0).reason : 'internal'
  const reason = status === 'internal' ? (REASONS.get(code) ?? REASONS.get(type) ?? 'unavailable') : status
  return new ModelResponseError('error_response', { reason, cause })
}

/** What a request or a stream was rejected with, as the classifier can tell it. */
function requestError(error: unknown): unknown {
  if (error instanceof SyntaxError) return new ModelResponseError('not_json', { cause: error })
  const sent = peek(error, 'error')
  const isInStream = typeof sent === 'object' && sent !== null && peek(error, 'status') === undefined
  return isInStream ? errorAnswer(sent, error) : error
}

/** What was asked. */
interface Asked {
  /** How many messages the conversation has. */
  readonly place: number
  readonly sent: SentTools
  readonly format: AnswerFormat | undefined
}

/**
 * Reads what a server answered: its first choice.
 *
 * @throws {ModelResponseError} for anything but a completion with a message.
 */
function modelAnswer(completion: unknown, { place, sent, format }: Asked): ModelResponse {
  if (!isFields(completion)) throw new ModelResponseError('not_json')
  if (isFields(completion.error)) throw errorAnswer(completion.error)
  const choice: unknown = Array.isArray(completion.choices) ? completion.choices[0] : undefined
  if (!isFields(choice)) throw new ModelResponseError('no_choices')
  const message = replyMessage(choice.message, place)
  const finishReason = textOf(choice.finish_reason)
  const model = textOf(completion.model)
  const usage = usageOf(completion.usage)
  const calls = (message.tool_calls ?? []).map((call) => modelCall(call, sent, finishReason))
  return {
    message,
    calls,
    ...(format !== undefined && calls.length === 0 && { output: format.restore(spokenText(message)) }),
    ...(finishReason !== undefined && { finishReason }),
    ...(usage !== undefined && { usage }),
    ...(model !== undefined && { model }),
  }
}

function modelCall(call: ChatToolCall, sent: SentTools, finishReason: string | undefined): ModelCall {
  if (call.type === 'custom') return { tool: call.custom.name, arguments: call.custom.input, toolCallId: call.id }
  const { name, arguments: json } = call.function
  // Some servers write no arguments as no text; where the tokens ran out it is text that is lacking.
  const given = json === '' && finishReason !== 'length' ? '{}' : json
  return { tool: name, arguments: sent.restore(name, given), toolCallId: call.id }
}

function usageOf(usage: unknown): TokenUsage | undefined {
  if (!isFields(usage)) return undefined
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  return isCount(prompt) && isCount(completion) ? { promptTokens: prompt, completionTokens: completion } : undefined
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Options of the driver whose client may be left out: it is then `new OpenAI()`, which reads its key from the environment. */
export interface OpenAiModelOptions extends Omit<OpenAiDriverOptions, 'client'> {
  readonly client?: OpenAI
}

/**
 * A builder without opinions over a model of OpenAI's chat completions.
 *
 * @example
 * const agent = base({ model: 'gpt-5.2', temperature: 0 }).with(useTools(toolset('local', weather))).build()
 */
export function base(model: OpenAiModelOptions | ModelDriver): AgentBuilder {
  return plainBase(driverOf(model))
}

/**
 * A builder with the standard guards over a model of OpenAI's chat completions.
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
