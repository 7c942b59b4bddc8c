import type { SessionStore } from '../contract/session.js'
import { unheard } from '../event/unheard.js'
import { isSessionError, SessionError } from './session-error.js'

/** A store that has every optional method but `close`. */
export type GuardedStore = Omit<SessionStore, 'close'> & Required<Pick<SessionStore, 'release'>>

/** A store whose every failure is a {@link SessionError}. @throws {TypeError} for what is no store. */
export function guardedStore(store: SessionStore): GuardedStore {
  for (const method of ['claim', 'save', 'delete'] as const)
    if (typeof store[method] !== 'function') throw new TypeError(`SessionRegistry: the store has no method '${method}'`)
  return {
    isDurable: store.isDurable,
    claim: (sessionId, who) => guarded('read', sessionId, () => store.claim(sessionId, who)),
    save: (session, owner, how) => guarded('save', session.sessionId, () => store.save(session, owner, how)),
    delete: (sessionId, who) => guarded('delete', sessionId, () => store.delete(sessionId, who)),
    release: (sessionId, owner) => unheard(() => store.release?.(sessionId, owner)),
  }
}

async function guarded<Value>(what: string, sessionId: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (isSessionError(error)) throw error
    throw new SessionError(
      'store_failed',
      `The store could not ${what} the session '${sessionId}'. The cause says why; try again when the store is back.`,
      { cause: error },
    )
  }
}
