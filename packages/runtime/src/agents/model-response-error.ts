import { ToolFailure } from '../call/tool-failure.js'
import type { Issue } from '../types/codec.js'
import type { FailureReason } from '../types/failure.js'
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
type ModelResponseErrorCode =
  | 'not_json'
  | 'no_choices'
  | 'malformed_message'
  | 'truncated'
  | 'error_response'
  | 'content_filter'
  | 'empty'
  | 'invalid_output'

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
interface ModelResponseErrorDetails {
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
