import { ToolFailure } from '../call/tool-failure.js'
import type { Issue } from '../types/codec.js'

/**
 * Code of a {@link SuspensionError}:
 * - `invalid_form`: it is not a suspension, or it was changed;
 * - `newer_version`: a newer version of the runtime wrote it;
 * - `unsigned`: it has no signature, and the runtime signs suspensions;
 * - `invalid_signature`: it was changed after it was signed;
 * - `unknown_key`: it was signed with a key that the runtime does not have;
 * - `wrong_agent`: another agent's run was suspended;
 * - `wrong_session`: the run was suspended in another session;
 * - `wrong_answers`: an answer fits no pending call, or there is no answer;
 * - `already_resumed`: the suspension was resumed before;
 * - `expired`: it is so old that the claims do not know whether it was resumed before;
 * - `changed_result`: a result of the run does not fit its tool any more.
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
 * Cause of a resumed run that failed before anything was run. The suspension can be used again, unless the code is
 * `already_resumed`.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'SuspensionError') && run.error.cause.code === 'already_resumed') return
 */
export class SuspensionError extends ToolFailure {
  override readonly name = 'SuspensionError'
  readonly code: SuspensionErrorCode
  /** Issues of a value that does not fit its schema. */
  readonly schemaIssues: readonly Issue[]

  constructor(code: SuspensionErrorCode, message: string, schemaIssues: readonly Issue[] = []) {
    super(message, { reason: 'internal', action: 'finish' })
    this.code = code
    this.schemaIssues = schemaIssues
  }
}
