import { ToolFailure } from '../call/tool-failure.js'

export interface Difference {
  /** Location of the difference in the request, for example `messages[2].content`. */
  readonly path: string
  readonly recorded?: unknown
  readonly now?: unknown
}

/**
 * Code of a {@link CassetteError}:
 * - `no_recording`: the file does not exist;
 * - `not_a_cassette`: the file does not begin with the header of a cassette, and stays unchanged;
 * - `newer_version`: a newer version of this package wrote the file;
 * - `corrupt_line`: a line is not a recorded request with its response, or a recorded result does not match the tool's schema;
 * - `incomplete_line`: the last line is cut off, because the recording was interrupted;
 * - `not_recorded`: a replayed run made a request that the recording does not contain, or made a request more often than the recorded run;
 * - `unused`: the replayed run did not make all recorded requests;
 * - `not_written`: a request or response could not be recorded, or the recording is unfinished or empty;
 * - `already_recording`: another recording of the file is not closed;
 * - `closed`: a request reached the cassette after `close` or `discard`.
 */
export type CassetteErrorCode =
  | 'no_recording'
  | 'not_a_cassette'
  | 'newer_version'
  | 'corrupt_line'
  | 'incomplete_line'
  | 'not_recorded'
  | 'unused'
  | 'not_written'
  | 'already_recording'
  | 'closed'

export interface CassetteErrorDetails {
  readonly file: string
  /** Line number in the file, starting at 1. For `not_recorded`: line of the most similar recorded request. */
  readonly line?: number
  readonly differences?: readonly Difference[]
  readonly cause?: unknown
}

/**
 * Error for a recording that cannot be opened or written, or for a replay that differs from its recording. If a run causes the error, the
 * run ends with the status `failed`, and `run.error.cause` contains the error. The message contains the file, the line and the differences.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'CassetteError')) console.log(run.error.cause.code, run.error.cause.line)
 */
export class CassetteError extends ToolFailure {
  override readonly name = 'CassetteError'
  readonly code: CassetteErrorCode
  readonly file: string
  readonly line: number | undefined
  /** Differences between the request and the most similar recorded request. Empty if the recording contains no similar request. */
  readonly differences: readonly Difference[]

  constructor(code: CassetteErrorCode, message: string, { file, line, differences = [], cause }: CassetteErrorDetails) {
    super(message, { reason: 'internal', action: 'finish', ...(cause !== undefined && { cause }) })
    this.code = code
    this.file = file
    this.line = line
    this.differences = differences
  }
}
