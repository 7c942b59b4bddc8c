import { ignoreErrors } from '../call/events.js'
import type { SessionStore, StoredSession } from '../types/session.js'
import { isSessionError, SessionError } from './session-error.js'

/**
 * Stores closed sessions in memory until `delete` or the end of the process. For tests, and for applications that may lose
 * results which nobody has consumed.
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support }, store: memoryStore() })
 */
export function memoryStore(): SessionStore {
  const byId = new Map<string, { readonly userId: string; readonly owner: string; readonly json: string }>()
  const storedFor = (sessionId: string, userId: string) => {
    const stored = byId.get(sessionId)
    if (stored === undefined || stored.userId === userId) return stored
    throw new SessionError('wrong_user', `The session '${sessionId}' is not this user's. Give the session another id.`)
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
        throw new SessionError(
          'superseded',
          `The session '${sessionId}' was opened elsewhere, or deleted. Go on there, or open it again.`,
        )
      }
      byId.set(sessionId, { userId, owner, json: JSON.stringify(session) })
    },
    delete: async (sessionId, { userId }) => {
      storedFor(sessionId, userId)
      return byId.delete(sessionId)
    },
  }
}

/** Store with `release` that rejects only with a {@link SessionError}. */
export type GuardedStore = Omit<SessionStore, 'close'> & Required<Pick<SessionStore, 'release'>>

/** Wraps a store so that its other errors become `store_failed`. @throws {TypeError} for a value that is not a store */
export function guardedStore(store: SessionStore): GuardedStore {
  for (const method of ['claim', 'save', 'delete'] as const)
    if (typeof store[method] !== 'function') throw new TypeError(`SessionRegistry: the store has no method '${method}'`)
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
      `The store could not ${verb} the session '${sessionId}'. The cause says why; try again when the store is back.`,
      { cause: error },
    )
  }
}
