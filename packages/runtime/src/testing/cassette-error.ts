import { ToolFailure } from '../call/tool-failure.js'

/** Difference between a request and its recording. */
export interface Difference {
  /** E.g. `messages[2].content`. */
  readonly path: string
  /** Absent where nothing was recorded there. */
  readonly recorded?: unknown
  /** Absent where nothing is there now. */
  readonly now?: unknown
}

/**
 * What is wrong with a cassette, or with what is asked of it:
 * - `no_recording`: there is no such file;
 * - `not_a_cassette`: the file begins with something else;
 * - `newer_version`: a later version of this package wrote it;
 * - `corrupt_line`: a line is no exchange, or its result does not fit the tool's schema;
 * - `incomplete_line`: the last line ends too early;
 * - `not_recorded`: something is asked for that is not in the recording, or not so often;
 * - `unused`: recorded exchanges that nobody asked for;
 * - `not_written`: an exchange could not be recorded;
 * - `already_recording`: another recording of the file has not been closed;
 * - `closed`: something is asked for after `close`.
 */
export type CassetteErrorCode = keyof typeof CODES

const CODES = {
  no_recording: true,
  not_a_cassette: true,
  newer_version: true,
  corrupt_line: true,
  incomplete_line: true,
  not_recorded: true,
  unused: true,
  not_written: true,
  already_recording: true,
  closed: true,
} as const

/** What is known of a code beside its name. */
export interface CassetteErrorDetails {
  /** As it was given to `openCassette`. */
  readonly file: string
  /** From 1: the faulty line; of something that was `not_recorded` the exchange that comes nearest. */
  readonly line?: number
  /** Of something that was `not_recorded`: where it differs from that line. */
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
  /** Empty where there is nothing to compare with. */
  readonly differences: readonly Difference[]

  constructor(code: CassetteErrorCode, message: string, { file, line, differences = [], cause }: CassetteErrorDetails) {
    super(message, { reason: 'internal', action: 'finish', ...(cause !== undefined && { cause }) })
    this.code = code
    this.file = file
    this.line = line
    this.differences = differences
  }
}
