import { ignoreErrors } from '../call/telemetry.js'
import type {
  ListSessionsOptions,
  SessionOwner,
  SessionStore,
  StoredSession,
  StoredSessionReader,
} from '../types/session.js'

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
 * - `other_namespaces`: the session has other namespaces than the request;
 * - `other_session`: the run to resume was suspended in another session;
 * - `unknown_namespace`: no agent, toolset or design namespace has this name;
 * - `ambiguous_tool`: two namespaces of the session have a tool with the same name;
 * - `still_open`: the session must be closed before it can be deleted;
 * - `run_in_progress`: another run in the conversation of the session has not ended;
 * - `closing`, `closed`: the session no longer accepts calls;
 * - `open_elsewhere`: another process has the session open. Send the request to the address in the property `owner`;
 * - `superseded`: another process has taken the session over, or the session was deleted;
 * - `corrupt_state`: the stored state is invalid, for example because another program changed the state;
 * - `newer_state`: a newer version of the runtime stored the session;
 * - `store_failed`: the store failed or did not respond;
 * - `entries_expired`: the store has already deleted the next entries for a subscriber.
 */
type SessionErrorCode = (typeof CODES)[number]

/**
 * Error of sessions and their stores. The message describes the next step, and does not contain data of other users.
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

/** Also recognizes errors of another copy of this package. */
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
 * Error of `lockDirectory`: another process, or this process itself, has already locked the directory.
 *
 * @example
 * if (isToolgenError(error, 'DirectoryInUseError')) console.error(`Stop process ${error.holder?.pid} first.`)
 */
export class DirectoryInUseError extends Error {
  override readonly name = 'DirectoryInUseError'
  /** Path of the directory, with symbolic links resolved. */
  readonly directory: string
  /** Process that has the lock. `undefined` if the lock file cannot be read. */
  readonly holder: { readonly pid: number; readonly host: string } | undefined

  constructor(message: string, directory: string, holder?: { readonly pid: number; readonly host: string }) {
    super(message)
    this.directory = directory
    this.holder = holder
  }
}

/**
 * Creates a store that keeps closed sessions in memory until they are deleted or the process ends. Use this store for
 * tests, or if your application may lose results when the process ends.
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support }, store: memoryStore() })
 */
export function memoryStore(): SessionStore & StoredSessionReader {
  let saves = 0
  // In the order of their last saves.
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
      saves += 1
      byId.delete(sessionId)
      const saved = { savedAt: Date.now(), position: saves }
      byId.set(sessionId, { userId, owner, json: JSON.stringify(session), isHeld: !releases, ...saved })
    },
    delete: async (sessionId, { userId }) => {
      storedFor(sessionId, userId)
      return byId.delete(sessionId)
    },
    release: (sessionId, owner) => {
      const stored = byId.get(sessionId)
      if (stored?.owner === owner) byId.set(sessionId, { ...stored, isHeld: false })
    },
    list: async (options) => {
      const { limit, after } = pageOf(options, (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined))
      const rows = [...byId.values()].reverse().filter(({ position }) => after === undefined || position < after)
      const last = rows[limit - 1]
      return {
        sessions: rows.slice(0, limit).map(({ json, savedAt }) => {
          const { sessionId, userId, namespaces }: StoredSession = JSON.parse(json)
          return { sessionId, userId, namespaces, savedAt }
        }),
        ...(rows.length > limit && last !== undefined && { next: String(last.position) }),
      }
    },
    read: async (sessionId) => {
      const stored = byId.get(sessionId)
      return stored && JSON.parse(stored.json)
    },
  }
}

interface MemoryRow {
  readonly userId: string
  readonly owner: string
  readonly json: string
  readonly isHeld: boolean
  readonly savedAt: number
  /** The saves of all sessions are numbered together, so that a higher number means a later save. */
  readonly position: number
}

const PAGE = 50

export function pageOf<Position>(
  { limit = PAGE, after }: ListSessionsOptions = {},
  positionOf: (text: string) => Position | undefined,
): { readonly limit: number; readonly after: Position | undefined } {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new RangeError(`list: limit is ${String(limit)}. Expected a positive integer.`)
  }
  const position = after === undefined ? undefined : positionOf(after)
  if (after !== undefined && position === undefined) {
    throw new RangeError('list: `after` is no position. Pass `next` of the page before.')
  }
  return { limit, after: position }
}

/** Store whose methods reject only with a {@link SessionError}. Always has the method `release`. */
export type GuardedStore = Omit<SessionStore, 'close'> & Required<Pick<SessionStore, 'release'>>

export function guardedStore(store: SessionStore): GuardedStore {
  for (const method of ['claim', 'save', 'delete'] as const)
    if (typeof store[method] !== 'function')
      throw new TypeError(`SessionRegistry: the store must have a method '${method}'.`)
  const { confirm, subscribe } = store
  return {
    isDurable: store.isDurable,
    ...(confirm !== undefined && {
      confirm: (sessionId, owner) =>
        guarded(`confirm the owner of ${nameOf(sessionId)}`, () => confirm.call(store, sessionId, owner)),
    }),
    ...(subscribe !== undefined && {
      subscribe: (sessionId, options) =>
        guarded(`read ${nameOf(sessionId)}`, () => subscribe.call(store, sessionId, options)),
    }),
    claim: (sessionId, claim) => guarded(`read ${nameOf(sessionId)}`, () => store.claim(sessionId, claim)),
    save: (session, owner, options) =>
      guarded(`save ${nameOf(session.sessionId)}`, () => store.save(session, owner, options)),
    delete: (sessionId, user) => guarded(`delete ${nameOf(sessionId)}`, () => store.delete(sessionId, user)),
    release: (sessionId, owner) => ignoreErrors(() => store.release?.(sessionId, owner)),
  }
}

export function guardedReader({ list, read }: StoredSessionReader): StoredSessionReader {
  return {
    list: (options) => guarded('list the sessions', () => list(options)),
    read: (sessionId) => guarded(`read ${nameOf(sessionId)}`, () => read(sessionId)),
  }
}

function nameOf(sessionId: string): string {
  return `the session '${sessionId}'`
}

async function guarded<Value>(task: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (isSessionError(error) || error instanceof RangeError) throw error
    throw new SessionError(
      'store_failed',
      `The store could not ${task}. See \`cause\`, and try again when the store is available.`,
      { cause: error },
    )
  }
}
