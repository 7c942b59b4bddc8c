import { ToolFailure } from '../call/tool-failure.js'
import type { FailureReason } from '../types/errors.js'
import type { Issue } from '../types/issue.js'
import type { TokenUsage } from '../types/planner.js'

/**
 * What was wrong with what a model, or the server before it, answered:
 * - `not_json`: the body is no JSON, or ends too early;
 * - `no_choices`: an answer without any message;
 * - `malformed_message`: a message that is none of chat completions;
 * - `truncated`: the stream ended before the message did;
 * - `error_response`: an error where an answer was due, with a status or in a stream that said all was well;
 * - `content_filter`: the answer was withheld;
 * - `empty`: the tokens were used up before anything was said;
 * - `invalid_output`: the structured answer did not fit its schema, twice.
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

/** What is known of a code beside its name. */
export interface ModelResponseErrorDetails {
  /** Where it is not the usual one of the code. */
  readonly reason?: FailureReason
  /** What the code is about, in words of ours. */
  readonly detail?: string
  /** Of a `invalid_output`. */
  readonly issues?: readonly Issue[]
  /** What the model said, for logs. */
  readonly text?: string
  /** Tokens that the answer has cost. A run that the error ends counts them. */
  readonly usage?: TokenUsage
  /** For logs. */
  readonly cause?: unknown
}

const REASONS: Readonly<Record<ModelResponseErrorCode, FailureReason>> = {
  not_json: 'malformed_result',
  no_choices: 'malformed_result',
  malformed_message: 'malformed_result',
  truncated: 'unavailable',
  error_response: 'unavailable',
  content_filter: 'denied',
  empty: 'malformed_result',
  invalid_output: 'malformed_result',
}

const SENTENCES: Readonly<Record<ModelResponseErrorCode, string>> = {
  not_json: 'The model answered with something that is no JSON.',
  no_choices: 'The model answered without a choice.',
  malformed_message: 'The model answered with a message that is none of chat completions.',
  truncated: 'The answer of the model broke off.',
  error_response: 'The model answered with an error.',
  content_filter: "The model's answer was withheld by its content filter.",
  empty: 'The model used up its tokens before it said anything.',
  invalid_output: "The model's answer does not fit the schema, also after it was told why.",
}

/**
 * Thrown for an answer of a model that is of no use. A run that it ends is `failed`, with its reason and sentence; what
 * the server sent is in `cause` and `text` alone, for logs.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'ModelResponseError') && run.error.cause.code === 'invalid_output') log(run.error.cause.text)
 */
export class ModelResponseError extends ToolFailure {
  override readonly name = 'ModelResponseError'
  readonly code: ModelResponseErrorCode
  /** What the model said; not enumerable. */
  declare readonly text: string | undefined
  /** Tokens that the answer has cost, where that is known; not enumerable. */
  declare readonly usage: TokenUsage | undefined

  constructor(
    code: ModelResponseErrorCode,
    { reason = REASONS[code], detail, issues, text, usage, cause }: ModelResponseErrorDetails = {},
  ) {
    const message = detail === undefined ? SENTENCES[code] : `${SENTENCES[code]} ${detail}`
    const told = cause === undefined ? {} : { cause }
    super(message, code === 'invalid_output' ? { reason: 'malformed_result', issues, ...told } : { reason, ...told })
    this.code = code
    Object.defineProperty(this, 'text', { value: text, enumerable: false })
    Object.defineProperty(this, 'usage', { value: usage, enumerable: false })
  }
}
