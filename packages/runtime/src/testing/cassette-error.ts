import { ToolFailure } from '../call/tool-failure.js'

/** Difference between a request and its recording. */
export interface Difference {
  /** For example `messages[2].content`. */
  readonly path: string
  /** Absent if nothing was recorded there. */
  readonly recorded?: unknown
  /** Absent if nothing is there now. */
  readonly now?: unknown
}

/**
 * Code of a {@link CassetteError}:
 * - `no_recording`: the file does not exist;
 * - `not_a_cassette`: the file begins with something else;
 * - `newer_version`: a later version of this package wrote it;
 * - `corrupt_line`: a line is not an exchange, or its result does not fit the tool's schema;
 * - `incomplete_line`: the last line ends too early;
 * - `not_recorded`: a request or call is not in the recording, or not as often;
 * - `unused`: the replay did not use all recorded exchanges;
 * - `not_written`: an exchange could not be recorded;
 * - `already_recording`: another recording of the file has not been closed;
 * - `closed`: a request or call after `close`.
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
  /** As it was passed to `openCassette`. */
  readonly file: string
  /** From 1: the faulty line; for `not_recorded` that of the nearest exchange. */
  readonly line?: number
  /** For `not_recorded`: differences from that line. */
  readonly differences?: readonly Difference[]
  /** For logs. */
  readonly cause?: unknown
}

/**
 * Thrown when a recording cannot be opened, and when a replay is not what was recorded. A run that it ends is `failed` with
 * its message, which names file, line and differences; `run.error.cause` is the error itself.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'CassetteError')) console.log(run.error.cause.code, run.error.cause.line)
 */
export class CassetteError extends ToolFailure {
  override readonly name = 'CassetteError'
  readonly code: CassetteErrorCode
  readonly file: string
  readonly line: number | undefined
  /** Empty if there is nothing to compare with. */
  readonly differences: readonly Difference[]

  constructor(code: CassetteErrorCode, message: string, { file, line, differences = [], cause }: CassetteErrorDetails) {
    super(message, { reason: 'internal', action: 'finish', ...(cause !== undefined && { cause }) })
    this.code = code
    this.file = file
    this.line = line
    this.differences = differences
  }
}
