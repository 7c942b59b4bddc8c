import { OpenAI } from 'openai'
import type { AgentBuilder } from '../agents/agent-builder.js'
import { compiledRequest } from '../agents/message-compiler.js'
import { assistantMessage, messageText } from '../agents/model-response.js'
import { ModelResponseError } from '../agents/model-response-error.js'
import { base as plainBase, standard as plainStandard } from '../agents/standard-agent.js'
import { classify, withMeaning } from '../call/classify.js'
import { requireMedia } from '../call/content.js'
import { responseHeader } from '../call/response-headers.js'
import { ignoreErrors } from '../call/telemetry.js'
import { sleep } from '../call/timers.js'
import { peek } from '../call/tool-failure.js'
import { ReplyAccumulator } from '../chat/replies.js'
import { isFields } from '../schema/json-values.js'
import type { FailureReason } from '../types/failure.js'
import type { MessageCompiler, ModelCall, ModelDriver, ModelResponse, TokenUsage } from '../types/planner.js'
import {
  type CompletionDelta,
  type ModelRetry,
  type OpenAiDriverOptions,
  type PreparedRequest,
  requestWriter,
} from './openai-request.js'
import { vendorRules } from './vendor-errors.js'

const TEMPORARY: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timeout'])

/**
 * Returns a function that sends a request. If an error means that the server was unavailable, too slow or rate limited, the function sends
 * the request again. The server's header `x-should-retry` takes precedence. Before a retry, the function waits for the time that the server
 * requests. Without such a time, the wait doubles with each retry and varies randomly by 25 %.
 *
 * @throws {RangeError} if an option is not a valid number
 */
export function modelRetry({ attempts = 3, initialMs = 500, maxWaitMs = 30_000 }: ModelRetry = {}) {
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new RangeError(`retry.attempts must be an integer of at least 1, but is ${attempts}`)
  if (!(initialMs >= 0 && Number.isFinite(initialMs)))
    throw new RangeError(`retry.initialMs must be a finite number of milliseconds, 0 or more, but is ${initialMs}`)
  if (!(maxWaitMs >= 0))
    throw new RangeError(`retry.maxWaitMs must be a number of milliseconds, 0 or more, but is ${maxWaitMs}`)

  const waitBefore = (attempt: number, error: unknown): number | undefined => {
    const { reason, retryAfterMs } = classify(error, Date.now(), { errorRules: [vendorRules.openAi] })
    const advice = responseHeader(error, 'x-should-retry')
    if (advice === 'false' || (advice !== 'true' && !TEMPORARY.has(reason))) return undefined
    if (retryAfterMs !== undefined) return retryAfterMs > maxWaitMs ? undefined : retryAfterMs
    return Math.min(maxWaitMs, initialMs * 2 ** (attempt - 2) * (0.75 + Math.random() / 2))
  }

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
 * Creates a driver that sends requests to OpenAI's chat completions API with the application's `client`. It works with every server that
 * has this API.
 *
 * Messages are sent unchanged. Tools use strict mode where possible. The driver retries temporary failures as the option `retry` says; the
 * client's own retries are disabled. Aborting the run's signal ends requests, streams and waits at once.
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
  return driverWith(options, undefined)
}

function driverWith(options: OpenAiDriverOptions, compiler: MessageCompiler | undefined): ModelDriver {
  const { client, model, stream = false, strict, retry, onDelta, extraBody, media, ...fields } = options
  const withRetries = modelRetry(retry)
  requireMedia('openAiDriver', media)
  const prepare = requestWriter(model, fields, strict ?? true, extraBody, media)
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
        ignoreErrors(() => onDelta(delta, meta))
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
 * Runs `work` with a new signal, which is aborted together with `signal`. OpenAI's client never removes its abort listeners. Without the
 * new signal, they would accumulate on `signal` until the end of the run.
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

/** Options for the driver in which `client` is optional. Default: `new OpenAI()`, which reads the API key from the environment. */
export interface OpenAiModelOptions extends Omit<OpenAiDriverOptions, 'client'> {
  readonly client?: OpenAI
}

/**
 * Returns an agent builder without guards, for a model with OpenAI's chat completions API.
 *
 * @example
 * const agent = base({ model: 'gpt-5.2', temperature: 0 }).with(useTools(toolset('local', weather))).build()
 */
export function base(model: OpenAiModelOptions | ModelDriver): AgentBuilder {
  return plainBase(driverOf(model))
}

/**
 * Returns an agent builder for a model with OpenAI's chat completions API. Its limits are 20 steps, 32,768 tokens and 300 seconds.
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

/**
 * Requests a streamed response. Returns it in the same form as a response that is not streamed.
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
  // OpenAI's client ends an aborted stream without an error, as if the stream were complete.
  signal.throwIfAborted()
  const { message, finishReason, usage, model, issues } = accumulator.reply()
  for (const { code, message: detail } of issues) {
    if (code === 'no_choice') throw new ModelResponseError('no_choices')
    if (code === 'unfinished') throw new ModelResponseError('truncated')
    if (code === 'malformed_part') throw new ModelResponseError('malformed_message', { detail })
  }
  return { choices: [{ message, finish_reason: finishReason }], usage, model }
}

/**
 * Failure reasons of errors without an HTTP status, by the `code` or `type` of the error. The reason of all other errors is `unavailable`.
 */
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

function errorResponse(error: object, cause: unknown = error): ModelResponseError {
  const [code, type] = [peek(error, 'code'), peek(error, 'type')]
  // Some servers use the HTTP status as the code.
  const ofStatus = typeof code === 'number' ? classify({ status: code }, 0).reason : 'internal'
  const reason = ofStatus === 'internal' ? (REASONS.get(code) ?? REASONS.get(type) ?? 'unavailable') : ofStatus
  return new ModelResponseError('error_response', { reason, cause })
}

/** Converts an error of a request or stream to an object whose properties the error classification reads. */
function requestError(error: unknown): unknown {
  if (error instanceof SyntaxError) return new ModelResponseError('not_json', { cause: error })
  const sent = peek(error, 'error')
  const isInStream = typeof sent === 'object' && sent !== null && peek(error, 'status') === undefined
  return isInStream ? errorResponse(sent, error) : withMeaning(error, vendorRules.openAi)
}

/**
 * Converts a response of the API to a `ModelResponse`. Uses only the first choice.
 *
 * @param position number of messages in the request; used for new call ids
 * @throws {ModelResponseError} if the response has no valid message
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
    // Some servers send an empty string if there are no arguments. If the token limit was reached, the empty string is
    // an incomplete call.
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
