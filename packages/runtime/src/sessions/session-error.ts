const CODES = [
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
] as const

/**
 * Codes of {@link SessionError}:
 * - `invalid_id`: a session or user id is empty, too long or not a string;
 * - `unknown_session`: no session with this id is open, or none is stored;
 * - `wrong_user`: the session belongs to another user;
 * - `other_namespaces`: the session was opened with other namespaces;
 * - `other_session`: the run was suspended in another session;
 * - `unknown_namespace`: no agent, toolset, use of a toolset or design namespace has this name;
 * - `ambiguous_tool`: two namespaces have a tool with the same name;
 * - `still_open`: the session must be closed first;
 * - `closing`, `closed`: the session accepts no more calls;
 * - `superseded`: the session was opened elsewhere and belongs to that process now;
 * - `corrupt_state`: the stored state is not a session, or was changed;
 * - `newer_state`: a newer version of the runtime stored the session;
 * - `store_failed`: the store failed or did not answer.
 */
export type SessionErrorCode = (typeof CODES)[number]

/**
 * Error of sessions and their stores. The message says what to do next and contains no data of other users.
 *
 * @example
 * if (isToolgenError(error, 'SessionError') && error.code === 'superseded') redirectToTheOtherProcess()
 */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionErrorCode

  constructor(code: SessionErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Returns whether a value is a {@link SessionError}, also one of another copy of this package. */
export function isSessionError(error: unknown): error is SessionError {
  const codes: readonly unknown[] = CODES
  return error instanceof Error && error.name === 'SessionError' && 'code' in error && codes.includes(error.code)
}

/**
 * Error of `lockDirectory`: the directory is locked by another process, or by this one already.
 *
 * @example
 * if (isToolgenError(error, 'DirectoryInUseError')) console.error(`Stop process ${error.holder?.pid} first.`)
 */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError'
  /** The directory, without symbolic links. */
  readonly directory: string
  /** Process that holds the lock; absent if the lock file cannot be read. */
  readonly holder: { readonly pid: number; readonly host: string } | undefined

  constructor(message: string, directory: string, holder?: { readonly pid: number; readonly host: string }) {
    super(message)
    this.directory = directory
    this.holder = holder
  }
}
