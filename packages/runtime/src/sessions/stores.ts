import { ignoreErrors } from '../call/telemetry.js'
import type { SessionOwner, SessionStore, StoredSession } from '../types/session.js'

const CODES = [
  'invalid_id',
  'unknown_session',
  'wrong_user',
  'other_namespaces',
  'other_session',
  'unknown_namespace',
  'ambiguous_tool',
  'still_open',
  'run_in_progress',
  'closing',
  'closed',
  'open_elsewhere',
  'superseded',
  'corrupt_state',
  'newer_state',
  'store_failed',
  'entries_expired',
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
 * - `run_in_progress`: another run continues the conversation of the session, and has not ended;
 * - `closing`, `closed`: the session accepts no more calls;
 * - `open_elsewhere`: another process has the session open; the property `owner` has its address. Send the request to this address;
 * - `superseded`: another process has taken the session over, or the session was deleted;
 * - `corrupt_state`: the stored state is not a session, or was changed;
 * - `newer_state`: a newer version of the runtime stored the session;
 * - `store_failed`: the store failed or did not answer;
 * - `entries_expired`: the entries after the position of a subscriber are no longer kept.
 */
type SessionErrorCode = (typeof CODES)[number]

/**
 * Thrown by sessions and their stores. The message says what to do next, and does not contain data of other users.
 *
 * @example
 * if (isToolgenError(error, 'SessionError') && error.code === 'open_elsewhere') return forward(request, error.owner?.address)
 */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionErrorCode
  /** Process that has the session open. Present if the code is `open_elsewhere`. */
  readonly owner?: SessionOwner

  constructor(
    code: SessionErrorCode,
    message: string,
    { owner, ...options }: { readonly cause?: unknown; readonly owner?: SessionOwner } = {},
  ) {
    super(message, options)
    this.code = code
    if (owner !== undefined) this.owner = owner
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

export function unknownSession(sessionId: string, state: 'open' | 'stored'): SessionError {
  const advice = state === 'open' ? 'Open it first, or restore it.' : 'Open a new one.'
  return new SessionError('unknown_session', `No session '${sessionId}' is ${state}. ${advice}`)
}

export function superseded(sessionId: string): SessionError {
  const message = `The session '${sessionId}' was deleted, or another process took it over. Continue in that process, or open the session again.`
  return new SessionError('superseded', message)
}

export function openElsewhere(sessionId: string, owner: SessionOwner): SessionError {
  const { address, expiresInMs } = owner
  const where = address === undefined ? 'in another process' : `in the process at ${address}`
  const lease = expiresInMs === undefined ? '' : `, whose lease ends in ${expiresInMs} ms unless it is renewed`
  const forward =
    address === undefined
      ? 'Send the request to that process (set `owner: { address }` of its store to see its address)'
      : 'Send the request to this address'
  const wait = expiresInMs === undefined ? '' : ', open the session after the lease has ended'
  return new SessionError(
    'open_elsewhere',
    `The session '${sessionId}' is open ${where}${lease}. ${forward}${wait}, or open the session with \`takeOver: true\`.`,
    { owner },
  )
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
 * Creates a store that keeps closed sessions in memory until they are deleted or the process ends. Use this store for
 * tests, or if results may be lost when the process ends.
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support }, store: memoryStore() })
 */
export function memoryStore(): SessionStore {
  const byId = new Map<string, MemoryRow>()
  const storedFor = (sessionId: string, userId: string) => {
    const stored = byId.get(sessionId)
    if (stored === undefined || stored.userId === userId) return stored
    throw wrongUser(sessionId)
  }
  return {
    isDurable: false,
    claim: async (sessionId, { userId, owner, check, takeOver = false }) => {
      const stored = storedFor(sessionId, userId)
      if (stored === undefined) return undefined
      const session: StoredSession = JSON.parse(stored.json)
      check?.(session)
      if (stored.isHeld && !takeOver) throw openElsewhere(sessionId, {})
      byId.set(sessionId, { ...stored, owner, isHeld: true })
      return session
    },
    save: async (session, owner, { isStored = false, releases = false } = {}) => {
      const { sessionId, userId } = session
      const stored = byId.get(sessionId)
      if (stored === undefined ? isStored : stored.owner !== owner) {
        throw superseded(sessionId)
      }
      byId.set(sessionId, { userId, owner, json: JSON.stringify(session), isHeld: !releases })
    },
    delete: async (sessionId, { userId }) => {
      storedFor(sessionId, userId)
      return byId.delete(sessionId)
    },
    release: (sessionId, owner) => {
      const stored = byId.get(sessionId)
      if (stored?.owner === owner) byId.set(sessionId, { ...stored, isHeld: false })
    },
  }
}

interface MemoryRow {
  readonly userId: string
  readonly owner: string
  readonly json: string
  /** True until the owner has released the session. */
  readonly isHeld: boolean
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
  const { confirm, subscribe } = store
  return {
    isDurable: store.isDurable,
    ...(confirm !== undefined && {
      confirm: (sessionId, owner) =>
        guarded('confirm the owner of', sessionId, () => confirm.call(store, sessionId, owner)),
    }),
    ...(subscribe !== undefined && {
      subscribe: (sessionId, options) => guarded('read', sessionId, () => subscribe.call(store, sessionId, options)),
    }),
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
