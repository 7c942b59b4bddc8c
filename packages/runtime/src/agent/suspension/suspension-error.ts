import type { Issue } from '../../contract/issue.js'
import { ToolFailure } from '../../execute/failure/tool-failure.js'

/**
 * Why a suspension is not resumed:
 * - `invalid_form`: it is none, or it was changed;
 * - `newer_version`: a newer version of the runtime wrote it;
 * - `unsigned`: it has no signature, and the runtime signs suspensions;
 * - `invalid_signature`: it was changed after it was signed;
 * - `unknown_key`: it was signed with a key that the runtime does not have;
 * - `wrong_agent`: another agent's run was suspended;
 * - `wrong_session`: the run was suspended in another session;
 * - `wrong_answers`: an answer that fits no pending call, or none at all;
 * - `already_resumed`: somebody has resumed it before;
 * - `expired`: it is so old that the claims do not know whether it was resumed before;
 * - `changed_result`: a result of the run does not fit its tool any more.
 */
export type SuspensionFault =
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

const FAULTS: ReadonlySet<unknown> = new Set<SuspensionFault>([
  'invalid_form',
  'newer_version',
  'unsigned',
  'invalid_signature',
  'unknown_key',
  'wrong_agent',
  'wrong_session',
  'wrong_answers',
  'already_resumed',
  'expired',
  'changed_result',
])

/**
 * The cause of a resumed run that failed before anything was run. But for `already_resumed` the suspension is as good as
 * before.
 *
 * @example
 * if (isSuspensionError(run.error?.cause) && run.error.cause.fault === 'already_resumed') return
 */
export class SuspensionError extends ToolFailure {
  readonly fault: SuspensionFault
  /** What is wrong, where it is a matter of form. */
  readonly faults: readonly Issue[]

  constructor(fault: SuspensionFault, message: string, faults: readonly Issue[] = []) {
    super(message, { reason: 'internal', action: 'finish' })
    this.fault = fault
    this.faults = faults
  }
}

/** Whether something thrown is a {@link SuspensionError}, also one of another copy of this package. */
export function isSuspensionError(error: unknown): error is SuspensionError {
  return (
    error instanceof Error &&
    error.name === 'ToolFailure' &&
    'faults' in error &&
    'fault' in error &&
    FAULTS.has(error.fault)
  )
}
