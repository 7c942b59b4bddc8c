import { OpenAI } from 'openai'
import { type AgentBuilder, compiledRequest } from '../agents/agent-builder.js'
import { base as plainBase, standard as plainStandard } from '../agents/features.js'
import { assistantMessage, ModelResponseError, messageText } from '../agents/model-response.js'
import { classify, withMeaning } from '../call/classify.js'
import { peek } from '../call/tool-failure.js'
import { ReplyAccumulator } from '../chat/replies.js'
import { isFields } from '../schema/json-values.js'
import type { FailureReason } from '../types/errors.js'
import type { MessageCompiler, ModelCall, ModelDriver, ModelResponse, TokenUsage } from '../types/planner.js'
import { modelRetry } from './model-retry.js'
import {
  type CompletionDelta,
  type OpenAiDriverOptions,
  type PreparedRequest,
  requestWriter,
} from './openai-request.js'
import { openAi } from './vendor-errors.js'

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
  const prepare = requestWriter(model, fields, {
    ...(strict !== undefined && { strict }),
    ...(extraBody && { extraBody }),
  })
  return {
    name: 'openai',
    withMessageCompiler: (compiler) => driverWith(options, compiler),
    ask: async (given) => {
      const request = compiler === undefined ? given : await compiledRequest(given, compiler)
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
        return modelResponse(completion, given.messages.length, prepared)
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
  return isInStream ? errorResponse(sent, error) : withMeaning(error, openAi)
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
