import { httpStatus } from '../call/error-meanings.js'
import { peek, ToolFailure } from '../call/tool-failure.js'
import type { Issue } from '../types/codec.js'
import type { FailureReason } from '../types/failure.js'
import type { ModelUsage } from '../types/token-usage.js'

/**
 * Code of a {@link ModelResponseError}:
 * - `not_json`: the body is not JSON, or ends too early;
 * - `no_choices`: the response has no message;
 * - `malformed_message`: the response has an unexpected format;
 * - `truncated`: the stream ended before the message was complete;
 * - `error_response`: the response is an error, possibly with the HTTP status 200;
 * - `content_filter`: a content filter withheld the response;
 * - `empty`: the token limit was reached before any text;
 * - `invalid_output`: the structured output was invalid twice.
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
  not_json: ['malformed_result', 'The response of the model is not JSON.'],
  no_choices: ['malformed_result', 'The response of the model has no choices.'],
  malformed_message: ['malformed_result', 'The response of the model has an unexpected format.'],
  truncated: ['unavailable', 'The response of the model ended too early.'],
  error_response: ['unavailable', 'The model returned an error.'],
  content_filter: ['denied', "The model's response was withheld by its content filter."],
  empty: ['malformed_result', 'The model reached its token limit before it returned any text.'],
  invalid_output: ['malformed_result', "The model's answer does not match the schema, even after a correction."],
}

interface ModelResponseErrorDetails {
  readonly reason?: FailureReason
  readonly detail?: string
  /** Schema issues of the structured output. Only for the code `invalid_output`. */
  readonly issues?: readonly Issue[]
  readonly text?: string
  /** Tokens of the response. The usage of the failed run includes these tokens. */
  readonly usage?: ModelUsage
  readonly model?: string
  readonly cause?: unknown
}

/**
 * Thrown for an unusable response of a model. The run then has the status `failed`. The reason and the message of the run's error equal the
 * reason and the message of this error. The message contains no text from the model's server; `cause` and `text` contain this text for logs.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'ModelResponseError') && run.error.cause.code === 'invalid_output') log(run.error.cause.text)
 */
export class ModelResponseError extends ToolFailure {
  override readonly name = 'ModelResponseError'
  readonly code: ModelResponseErrorCode
  /** Text of the model's response. `undefined` if the text is unknown. Not enumerable. */
  declare readonly text: string | undefined
  /** Tokens of the response. `undefined` if the usage is unknown. Not enumerable. */
  declare readonly usage: ModelUsage | undefined
  /** Name of the model. `undefined` if the name is unknown. Not enumerable. */
  declare readonly model: string | undefined

  constructor(
    code: ModelResponseErrorCode,
    { reason, detail, issues, text, usage, model, cause }: ModelResponseErrorDetails = {},
  ) {
    const [usualReason, sentence] = CODES[code]
    const from = cause === undefined ? {} : { cause }
    const advice = detail ?? ('cause' in from ? 'See the cause of this error.' : '')
    const message = `${sentence} ${advice}`.trim()
    const isOutput = code === 'invalid_output'
    super(
      message,
      isOutput ? { reason: 'malformed_result', issues, ...from } : { reason: reason ?? usualReason, ...from },
    )
    this.code = code
    Object.defineProperty(this, 'text', { value: text, enumerable: false })
    // The runtime adds the cost.
    Object.defineProperty(this, 'usage', { value: usage, enumerable: false, configurable: true })
    Object.defineProperty(this, 'model', { value: model, enumerable: false })
  }
}

const FAILED_REQUESTS = new WeakMap<object, string>()

export function failedRequest(error: unknown, driver: unknown): unknown {
  const name = peek(driver, 'name')
  if (typeof error === 'object' && error !== null) FAILED_REQUESTS.set(error, typeof name === 'string' ? name : 'model')
  return error
}

const REQUEST_PROBLEMS: Readonly<Partial<Record<FailureReason, string>>> = {
  denied: 'The server denied access. Check the API key, its permissions and its quota.',
  domain_rejection: 'The server rejected the request. Check the name of the model and the options.',
  rate_limited: 'The rate limit is exceeded. Wait, or check the quota of the API key.',
  unavailable: 'The server is temporarily not available. Try again later.',
  timeout: 'The server did not respond in time.',
}

const UNREACHABLE = 'The server is not reachable, or the connection was lost. Check the address, or try again later.'

/** The message contains no text of `error`. Returns `undefined` for an error that {@link failedRequest} did not record. */
export function requestMessage(error: unknown, reason: FailureReason): string | undefined {
  const driver = typeof error === 'object' && error !== null ? FAILED_REQUESTS.get(error) : undefined
  if (driver === undefined) return undefined
  const status = httpStatus(error)
  const end = status === undefined ? '' : ` with the HTTP status ${status}`
  const isUnreachable = reason === 'unavailable' && status === undefined
  const problem = isUnreachable ? UNREACHABLE : (REQUEST_PROBLEMS[reason] ?? 'See the cause of this error.')
  return `The model request of the driver '${driver}' failed${end}. ${problem}`
}
