import { ToolFailure } from '../call/tool-failure.js'
import { shapeIssues } from '../chat/message-shape.js'
import { type Fields, isFields } from '../schema/json-values.js'
import type { ChatAssistantMessage } from '../types/chat.js'
import type { Issue } from '../types/codec.js'
import type { FailureReason } from '../types/outcome.js'
import type { TokenUsage } from '../types/planner.js'

/**
 * Code of a {@link ModelResponseError}:
 * - `not_json`: the body is not JSON, or ends too early;
 * - `no_choices`: a response without any message;
 * - `malformed_message`: a message that is not of chat completions;
 * - `truncated`: the stream ended before the message did;
 * - `error_response`: an error in place of a response, with a status or in a stream with a good status;
 * - `content_filter`: the response was withheld;
 * - `empty`: the tokens were used up before any text;
 * - `invalid_output`: the structured output did not fit its schema, twice.
 */
export type ModelResponseErrorCode =
  | 'not_json'
  | 'no_choices'
  | 'malformed_message'
  | 'truncated'
  | 'error_response'
  | 'content_filter'
  | 'empty'
  | 'invalid_output'

/** Reason and sentence of each code. */
const CODES: Readonly<Record<ModelResponseErrorCode, readonly [FailureReason, string]>> = {
  not_json: ['malformed_result', 'The model answered with something that is no JSON.'],
  no_choices: ['malformed_result', 'The model answered without a choice.'],
  malformed_message: ['malformed_result', 'The model answered with a message that is none of chat completions.'],
  truncated: ['unavailable', 'The answer of the model broke off.'],
  error_response: ['unavailable', 'The model answered with an error.'],
  content_filter: ['denied', "The model's answer was withheld by its content filter."],
  empty: ['malformed_result', 'The model used up its tokens before it said anything.'],
  invalid_output: ['malformed_result', "The model's answer does not fit the schema, also after it was told why."],
}

/** Details of a {@link ModelResponseError}. */
export interface ModelResponseErrorDetails {
  /** Default: the usual reason of the code. */
  readonly reason?: FailureReason
  /** Sentence that is added to the message. */
  readonly detail?: string
  /** Issues of an `invalid_output`. */
  readonly issues?: readonly Issue[]
  /** Text of the model, for logs. */
  readonly text?: string
  /** Tokens that the response has cost. A run that the error ends counts them. */
  readonly usage?: TokenUsage
  /** For logs. */
  readonly cause?: unknown
}

/**
 * Thrown for an unusable response of a model. A run that it ends is `failed`, with its reason and sentence; what the server
 * sent is only in `cause` and `text`, for logs.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'ModelResponseError') && run.error.cause.code === 'invalid_output') log(run.error.cause.text)
 */
export class ModelResponseError extends ToolFailure {
  override readonly name = 'ModelResponseError'
  readonly code: ModelResponseErrorCode
  /** Text of the model; not enumerable. */
  declare readonly text: string | undefined
  /** Tokens that the response has cost, if known; not enumerable. */
  declare readonly usage: TokenUsage | undefined

  constructor(
    code: ModelResponseErrorCode,
    { reason, detail, issues, text, usage, cause }: ModelResponseErrorDetails = {},
  ) {
    const [usualReason, sentence] = CODES[code]
    const message = detail === undefined ? sentence : `${sentence} ${detail}`
    const from = cause === undefined ? {} : { cause }
    const isOutput = code === 'invalid_output'
    super(
      message,
      isOutput ? { reason: 'malformed_result', issues, ...from } : { reason: reason ?? usualReason, ...from },
    )
    this.code = code
    Object.defineProperty(this, 'text', { value: text, enumerable: false })
    Object.defineProperty(this, 'usage', { value: usage, enumerable: false })
  }
}

/**
 * Returns the message of a response as it goes into the conversation: as it was sent, with its unknown fields. Only what
 * servers would refuse in a conversation is repaired: an empty `tool_calls`, an `index` that is left of a stream, a missing
 * role, id or type, an id that an earlier call of the message has, arguments that are not a string, and a message without
 * content.
 *
 * @param position number of messages before it: created ids contain it
 * @throws {ModelResponseError} for anything but an assistant message, and for a legacy `function_call`.
 */
export function assistantMessage(value: unknown, position: number): ChatAssistantMessage {
  const message = isFields(value) ? repaired(value, position) : value
  if (!isAssistantMessage(message)) {
    // Only the location: nothing that the server wrote may be shown.
    const path = shapeIssues(message)[0]?.path ?? '/role'
    const detail = path === '' ? {} : { detail: `What is wrong is its ${path}.` }
    throw new ModelResponseError('malformed_message', { cause: value, ...detail })
  }
  if (message.function_call !== undefined && message.function_call !== null) {
    const detail = 'It has a `function_call`; only `tool_calls` are run.'
    throw new ModelResponseError('malformed_message', { cause: value, detail })
  }
  return message
}

function isAssistantMessage(message: unknown): message is ChatAssistantMessage {
  return isFields(message) && message.role === 'assistant' && shapeIssues(message).length === 0
}

function repaired(message: Fields, position: number): Fields {
  const { tool_calls: calls, ...rest } = message
  const role = message.role ?? 'assistant'
  if (Array.isArray(calls) && calls.length > 0) return { ...message, role, tool_calls: repairedCalls(calls, position) }
  if (calls !== undefined && calls !== null && !Array.isArray(calls)) return message
  const isEmpty = [rest.content, rest.refusal, rest.audio, rest.function_call].every((part) => (part ?? null) === null)
  return { ...rest, role, ...(isEmpty && { content: '' }) }
}

function repairedCalls(calls: readonly unknown[], position: number): readonly unknown[] {
  const all = new Set(calls.map((call) => (isFields(call) ? call.id : undefined)))
  const used = new Set<unknown>()
  return calls.map((call, index) => {
    if (!isFields(call)) return call
    const { index: _index, ...rest } = call
    let id = (call.id ?? '') === '' ? `call_${position}_${index}` : call.id
    if (used.has(id)) {
      id = `${id}_${index}`
      while (all.has(id)) id = `${id}_`
    }
    used.add(id)
    all.add(id)
    const body = isFields(call.function) ? { function: repairedFunction(call.function) } : {}
    return { ...rest, id, type: call.type ?? 'function', ...body }
  })
}

function repairedFunction(body: Fields): Fields {
  const { arguments: sent } = body
  if (sent === undefined || sent === null) return { ...body, arguments: '{}' }
  if (typeof sent !== 'object') return body
  try {
    return { ...body, arguments: JSON.stringify(sent) }
  } catch {
    // Nested too deep: it stays invalid.
    return body
  }
}

/** Returns the text of a message, its parts joined. */
export function messageText({ content }: ChatAssistantMessage): string {
  if (content === null || content === undefined) return ''
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Returns the text by which a model refuses; `undefined` if it does not. */
export function refusalText({ content, refusal }: ChatAssistantMessage): string | undefined {
  if (typeof refusal === 'string' && refusal !== '') return refusal
  if (!Array.isArray(content)) return undefined
  const parts = content.flatMap((part) => (part.type === 'refusal' ? [part.refusal] : []))
  return parts.length === 0 ? undefined : parts.join('')
}
