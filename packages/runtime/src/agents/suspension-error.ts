import { ToolFailure } from '../call/tool-failure.js'
import type { Issue } from '../types/codec.js'

/**
 * Code of a {@link SuspensionError}:
 * - `invalid_form`: the value is not a suspension, or the suspension was changed;
 * - `newer_version`: a newer version of the runtime created the suspension;
 * - `unsigned`: the suspension has no signature, but the runtime requires a signature;
 * - `invalid_signature`: the suspension was changed after it was signed;
 * - `unknown_key`: the suspension was signed with a key that the runtime does not have;
 * - `wrong_agent`: the suspension belongs to a run of another agent;
 * - `wrong_session`: the suspension belongs to a run in another session;
 * - `wrong_answers`: an answer matches no pending call, or an answer is missing;
 * - `already_resumed`: the suspension was already resumed;
 * - `expired`: the suspension is old, and the store may have deleted the record of its resumption; the runtime cannot detect whether the
 *   suspension was already resumed;
 * - `changed_result`: a result of the run no longer matches the schema of its tool.
 */
type SuspensionErrorCode =
  | 'invalid_form'
  | 'newer_version'
  | 'unsigned'
  | 'invalid_signature'
  | 'unknown_key'
  | 'wrong_agent'
  | 'wrong_session'
  | 'wrong_answers'
  | 'already_resumed'
  | 'expired'
  | 'changed_result'

/**
 * Thrown if a suspension cannot be resumed. The resumed run fails before a call runs, and the property `error.cause` of the run contains this
 * error. You can resume the same suspension later, except after `already_resumed` and `expired`.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'SuspensionError') && run.error.cause.code === 'already_resumed') return
 */
export class SuspensionError extends ToolFailure {
  override readonly name = 'SuspensionError'
  readonly code: SuspensionErrorCode
  /** Issues of a stored result that does not match the current schema of its tool. Empty for all codes except `changed_result`. */
  readonly schemaIssues: readonly Issue[]

  constructor(code: SuspensionErrorCode, message: string, schemaIssues: readonly Issue[] = []) {
    super(message, { reason: 'internal', action: 'finish' })
    this.code = code
    this.schemaIssues = schemaIssues
  }
}
