import { ToolFailure } from '../call/tool-failure.js'
import type { FailureReason } from '../types/errors.js'
import type { Issue } from '../types/issue.js'
import type { TokenUsage } from '../types/planner.js'

/**
 * What was wrong with what a model, or the server before it, answered:
 * - `not_json`: the body is no JSON, or ends too early;
 * - `no_choices`: an answer without any message;
 * - `malformed_message`: a message that is none of chat completions;
 * - `cut_off`: the stream ended before the message did;
 * - `error_answer`: an error where an answer was due, with a status or in a stream that said all was well;
 * - `content_filter`: the answer was withheld;
 * - `no_text`: the tokens were used up before anything was said;
 * - `wrong_answer`: the structured answer did not fit its schema, twice.
 */
export type ModelAnswerFault =
  | 'not_json'
  | 'no_choices'
  | 'malformed_message'
  | 'cut_off'
  | 'error_answer'
  | 'content_filter'
  | 'no_text'
  | 'wrong_answer'

/** What is known of a fault beside its name. */
export interface ModelAnswerFacts {
  /** Where it is not the usual one of the fault. */
  readonly reason?: FailureReason
  /** What the fault is about, in words of ours. */
  readonly detail?: string
  /** Of a `wrong_answer`. */
  readonly issues?: readonly Issue[]
  /** What the model said, for logs. */
  readonly text?: string
  /** Tokens that the answer has cost. A run that the error ends counts them. */
  readonly usage?: TokenUsage
  /** For logs. */
  readonly cause?: unknown
}

const REASONS: Readonly<Record<ModelAnswerFault, FailureReason>> = {
  not_json: 'malformed_result',
  no_choices: 'malformed_result',
  malformed_message: 'malformed_result',
  cut_off: 'unavailable',
  error_answer: 'unavailable',
  content_filter: 'denied',
  no_text: 'malformed_result',
  wrong_answer: 'malformed_result',
}

const SENTENCES: Readonly<Record<ModelAnswerFault, string>> = {
  not_json: 'The model answered with something that is no JSON.',
  no_choices: 'The model answered without a choice.',
  malformed_message: 'The model answered with a message that is none of chat completions.',
  cut_off: 'The answer of the model broke off.',
  error_answer: 'The model answered with an error.',
  content_filter: "The model's answer was withheld by its content filter.",
  no_text: 'The model used up its tokens before it said anything.',
  wrong_answer: "The model's answer does not fit the schema, also after it was told why.",
}

/**
 * Thrown for an answer of a model that is of no use. A run that it ends is `failed`, with its reason and sentence; what
 * the server sent is in `cause` and `text` alone, for logs.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'ModelAnswerError') && run.error.cause.fault === 'wrong_answer') log(run.error.cause.text)
 */
export class ModelAnswerError extends ToolFailure {
  override readonly name = 'ModelAnswerError'
  readonly fault: ModelAnswerFault
  /** What the model said; not enumerable. */
  declare readonly text: string | undefined
  /** Tokens that the answer has cost, where that is known; not enumerable. */
  declare readonly usage: TokenUsage | undefined

  constructor(
    fault: ModelAnswerFault,
    { reason = REASONS[fault], detail, issues, text, usage, cause }: ModelAnswerFacts = {},
  ) {
    const message = detail === undefined ? SENTENCES[fault] : `${SENTENCES[fault]} ${detail}`
    const told = cause === undefined ? {} : { cause }
    super(message, fault === 'wrong_answer' ? { reason: 'malformed_result', issues, ...told } : { reason, ...told })
    this.fault = fault
    Object.defineProperty(this, 'text', { value: text, enumerable: false })
    Object.defineProperty(this, 'usage', { value: usage, enumerable: false })
  }
}
