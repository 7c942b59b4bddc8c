import type { SaveSessionOptions, SessionClaim, SessionStore, StoredSession } from '../contract/session.js'
import { SessionError } from './session-error.js'

interface Stored {
  readonly userId: string
  readonly owner: string
  readonly json: string
}

/**
 * Keeps closed sessions in memory, as long as the process lives: each until `forget`. For tests, and for applications
 * that may lose results which nobody has taken.
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support }, store: memoryStore() })
 */
export function memoryStore(): SessionStore {
  const byId = new Map<string, Stored>()
  const readable = (sessionId: string, userId: string): Stored | undefined => {
    const stored = byId.get(sessionId)
    if (stored === undefined || stored.userId === userId) return stored
    throw new SessionError('wrong_user', `The session '${sessionId}' is not this user's. Give the session another id.`)
  }
  const requireOwner = (sessionId: string, owner: string, isStored = false): void => {
    const stored = byId.get(sessionId)
    if (stored === undefined ? !isStored : stored.owner === owner) return
    throw new SessionError(
      'superseded',
      `The session '${sessionId}' was opened elsewhere, or deleted. Go on there, or open it again.`,
    )
  }
  return {
    isDurable: false,
    async claim(sessionId: string, { userId, owner, check }: SessionClaim): Promise<StoredSession | undefined> {
      const stored = readable(sessionId, userId)
      if (stored === undefined) return undefined
      const session: StoredSession = JSON.parse(stored.json)
      check?.(session)
      byId.set(sessionId, { ...stored, owner })
      return session
    },
    async save(session: StoredSession, owner: string, { isStored }: SaveSessionOptions = {}): Promise<void> {
      requireOwner(session.sessionId, owner, isStored)
      byId.set(session.sessionId, { userId: session.userId, owner, json: JSON.stringify(session) })
    },
    async delete(sessionId: string, { userId }: Pick<SessionClaim, 'userId'>): Promise<boolean> {
      readable(sessionId, userId)
      return byId.delete(sessionId)
    },
  }
}
