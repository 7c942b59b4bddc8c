/**
 * Why a session does not do what it was asked for:
 * - `invalid_id`: a session or user id that is empty, no text or too long;
 * - `unknown_session`: no session of this id is open, or none is stored;
 * - `wrong_user`: the session is another user's;
 * - `other_namespaces`: the session was opened with other namespaces;
 * - `other_session`: the run was suspended in another session;
 * - `unknown_namespace`: no agent, toolset, use of one or namespace of a design has this name;
 * - `ambiguous_tool`: two namespaces offer a tool of the same name;
 * - `still_open`: what was asked for needs a closed session;
 * - `closing`, `closed`: the session takes no more calls;
 * - `superseded`: the session was opened elsewhere, which has it now;
 * - `corrupt_state`: what is stored is no session, or was changed;
 * - `newer_state`: a newer version of the runtime stored it;
 * - `store_failed`: the store did not answer, or with an error.
 */
export type SessionFault =
  | 'invalid_id'
  | 'unknown_session'
  | 'wrong_user'
  | 'other_namespaces'
  | 'other_session'
  | 'unknown_namespace'
  | 'ambiguous_tool'
  | 'still_open'
  | 'closing'
  | 'closed'
  | 'superseded'
  | 'corrupt_state'
  | 'newer_state'
  | 'store_failed'

const FAULTS: ReadonlySet<unknown> = new Set<SessionFault>([
  'invalid_id',
  'unknown_session',
  'wrong_user',
  'other_namespaces',
  'other_session',
  'unknown_namespace',
  'ambiguous_tool',
  'still_open',
  'closing',
  'closed',
  'superseded',
  'corrupt_state',
  'newer_state',
  'store_failed',
])

/**
 * What sessions and their stores fail with. The message says what to do next, and nothing of another user.
 *
 * @example
 * if (isSessionError(error) && error.code === 'superseded') redirectToTheOtherProcess()
 */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionFault

  constructor(code: SessionFault, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Whether something thrown is a {@link SessionError}, also one of another copy of this package. */
export function isSessionError(error: unknown): error is SessionError {
  return error instanceof Error && error.name === 'SessionError' && 'code' in error && FAULTS.has(error.code)
}
