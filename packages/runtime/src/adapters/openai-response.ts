import type { OpenAI } from 'openai'
import { assistantMessage, messageText } from '../agents/model-response.js'
import { ModelResponseError } from '../agents/model-response-error.js'
import { classify, withMeaning } from '../call/classify.js'
import { peek } from '../call/tool-failure.js'
import { ReplyAccumulator } from '../chat/replies.js'
import { isFields } from '../schema/json-values.js'
import type { FailureReason } from '../types/failure.js'
import type { ModelCall, ModelResponse, TokenUsage } from '../types/planner.js'
import type { CompletionDelta, PreparedRequest } from './openai-request.js'
import { vendorRules } from './vendor-errors.js'

/**
 * Requests a streamed response. Returns it in the same form as a response that is not streamed.
 *
 * @throws {ModelResponseError} if the stream ends early or has invalid parts
 */
export async function streamedCompletion(
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

/** Failure reasons of errors without an HTTP status, by the `code` or `type` of the error. All other errors count as `unavailable`. */
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
export function requestError(error: unknown): unknown {
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
export function modelResponse(
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
