import { ToolFailure } from '../call/tool-failure.js'

/** Difference between a request and its recording. */
export interface Difference {
  /** Location of the difference in the request, for example `messages[2].content`. */
  readonly path: string
  /** Value in the recording. Absent if the recording has no value at `path`. */
  readonly recorded?: unknown
  /** Value in the request. Absent if the request has no value at `path`. */
  readonly now?: unknown
}

/**
 * Code of a {@link CassetteError}:
 * - `no_recording`: the file does not exist;
 * - `not_a_cassette`: the file does not begin with the header of a cassette, so it is neither replayed nor replaced;
 * - `newer_version`: a newer version of this package wrote the file;
 * - `corrupt_line`: a line is not an exchange, or a recorded result does not match the tool's schema;
 * - `incomplete_line`: the last line ends too early;
 * - `not_recorded`: the recording does not contain this request, or the replay made the request more often than the
 *   recording;
 * - `unused`: the replay did not use all recorded exchanges;
 * - `not_written`: an exchange could not be recorded;
 * - `already_recording`: another recording of the file is not closed;
 * - `closed`: a request was made after `close`.
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

/** Details of a {@link CassetteError}. */
export interface CassetteErrorDetails {
  /** The path as passed to `openCassette`. */
  readonly file: string
  /** Line in the file, from 1. For `not_recorded`: the line of the most similar exchange. */
  readonly line?: number
  /** For `not_recorded`: differences between the request and the exchange in `line`. */
  readonly differences?: readonly Difference[]
  /** Original error, for logs. */
  readonly cause?: unknown
}

/**
 * Thrown if a recording cannot be opened, or if a replay differs from the recording. In a replay, the run is then `failed`, and
 * `run.error.cause` is this error. The message names the file, the line and the differences.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'CassetteError')) console.log(run.error.cause.code, run.error.cause.line)
 */
export class CassetteError extends ToolFailure {
  override readonly name = 'CassetteError'
  readonly code: CassetteErrorCode
  readonly file: string
  readonly line: number | undefined
  /** Differences between the request and the most similar exchange. Empty if there is no such exchange. */
  readonly differences: readonly Difference[]

  constructor(code: CassetteErrorCode, message: string, { file, line, differences = [], cause }: CassetteErrorDetails) {
    super(message, { reason: 'internal', action: 'finish', ...(cause !== undefined && { cause }) })
    this.code = code
    this.file = file
    this.line = line
    this.differences = differences
  }
}
