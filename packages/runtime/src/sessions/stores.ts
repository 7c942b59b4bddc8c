import { ignoreErrors } from '../call/telemetry.js'
import type { SessionStore, StoredSession } from '../types/session.js'

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
 * - `unknown_session`: no session with this id is open or stored;
 * - `wrong_user`: the session belongs to another user;
 * - `other_namespaces`: the session was opened with other namespaces;
 * - `other_session`: the run to resume was suspended in another session;
 * - `unknown_namespace`: no agent, toolset or design namespace has this name;
 * - `ambiguous_tool`: two namespaces of the session have a tool with the same name;
 * - `still_open`: the session must be closed before it can be deleted;
 * - `closing`, `closed`: the session accepts no more calls;
 * - `superseded`: another process has opened the session, which now belongs to that process, or the session was deleted;
 * - `corrupt_state`: the stored state is not a session, or was changed;
 * - `newer_state`: a newer version of the runtime stored the session;
 * - `store_failed`: the store failed or did not answer.
 */
type SessionErrorCode = (typeof CODES)[number]

/**
 * Thrown by sessions and their stores. The message says what to do next, and does not contain data of other users.
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

/** Returns `true` if `error` is a {@link SessionError}, even of another copy of this package. */
export function isSessionError(error: unknown): error is SessionError {
  const codes: readonly unknown[] = CODES
  return error instanceof Error && error.name === 'SessionError' && 'code' in error && codes.includes(error.code)
}

export function wrongUser(sessionId: string): SessionError {
  return new SessionError('wrong_user', `The session '${sessionId}' belongs to another user. Use another session id.`)
}

export function superseded(sessionId: string): SessionError {
  const message = `The session '${sessionId}' was deleted, or another process opened it. Continue in that process, or open the session again.`
  return new SessionError('superseded', message)
}

/**
 * Thrown by `lockDirectory` if another process, or this process itself, already holds the lock of the directory.
 *
 * @example
 * if (isToolgenError(error, 'DirectoryInUseError')) console.error(`Stop process ${error.holder?.pid} first.`)
 */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError'
  /** Path of the directory, with symbolic links resolved. */
  readonly directory: string
  /** Process that holds the lock; absent if the lock file cannot be read. */
  readonly holder: { readonly pid: number; readonly host: string } | undefined

  constructor(message: string, directory: string, holder?: { readonly pid: number; readonly host: string }) {
    super(message)
    this.directory = directory
    this.holder = holder
  }
}

/**
 * Creates a store that keeps closed sessions in memory until they are deleted or the process ends. Use it for tests, or if results may be
 * lost when the process ends.
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support }, store: memoryStore() })
 */
export function memoryStore(): SessionStore {
  const byId = new Map<string, { readonly userId: string; readonly owner: string; readonly json: string }>()
  const storedFor = (sessionId: string, userId: string) => {
    const stored = byId.get(sessionId)
    if (stored === undefined || stored.userId === userId) return stored
    throw wrongUser(sessionId)
  }
  return {
    isDurable: false,
    claim: async (sessionId, { userId, owner, check }) => {
      const stored = storedFor(sessionId, userId)
      if (stored === undefined) return undefined
      const session: StoredSession = JSON.parse(stored.json)
      check?.(session)
      byId.set(sessionId, { ...stored, owner })
      return session
    },
    save: async (session, owner, { isStored = false } = {}) => {
      const { sessionId, userId } = session
      const stored = byId.get(sessionId)
      if (stored === undefined ? isStored : stored.owner !== owner) {
        throw superseded(sessionId)
      }
      byId.set(sessionId, { userId, owner, json: JSON.stringify(session) })
    },
    delete: async (sessionId, { userId }) => {
      storedFor(sessionId, userId)
      return byId.delete(sessionId)
    },
  }
}

/** A store that always has the method `release`, and rejects only with a {@link SessionError}. */
export type GuardedStore = Omit<SessionStore, 'close'> & Required<Pick<SessionStore, 'release'>>

/**
 * Wraps a store, so that errors that are not a {@link SessionError} become a `SessionError` with the code `store_failed`.
 *
 * @throws {TypeError} if `store` lacks a required method
 */
export function guardedStore(store: SessionStore): GuardedStore {
  for (const method of ['claim', 'save', 'delete'] as const)
    if (typeof store[method] !== 'function')
      throw new TypeError(`SessionRegistry: the store must have a method '${method}'.`)
  return {
    isDurable: store.isDurable,
    claim: (sessionId, claim) => guarded('read', sessionId, () => store.claim(sessionId, claim)),
    save: (session, owner, options) => guarded('save', session.sessionId, () => store.save(session, owner, options)),
    delete: (sessionId, user) => guarded('delete', sessionId, () => store.delete(sessionId, user)),
    release: (sessionId, owner) => ignoreErrors(() => store.release?.(sessionId, owner)),
  }
}

async function guarded<Value>(verb: string, sessionId: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (isSessionError(error)) throw error
    throw new SessionError(
      'store_failed',
      `The store could not ${verb} the session '${sessionId}'. See \`cause\`, and try again when the store is available.`,
      { cause: error },
    )
  }
}
