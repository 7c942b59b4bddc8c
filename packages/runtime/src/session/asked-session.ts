import type { StoredSession } from '../contract/session.js'
import type { Session } from './session.js'
import { SessionError } from './session-error.js'
import { requireId } from './session-ids.js'

/** A session that somebody asks for. */
export interface AskedSession {
  readonly sessionId: string
  readonly userId: string
  /** Absent: those that it has. */
  readonly namespaces: readonly string[] | undefined
}

/** A session as somebody may ask for it. @throws {SessionError} `invalid_id`; `unknown_namespace` where none is given. */
export function askedSession(sessionId: string, userId: string, namespaces?: readonly string[]): AskedSession {
  requireId('session id', sessionId)
  requireId('user id', userId)
  if (namespaces !== undefined && !isNames(namespaces)) {
    throw new SessionError('unknown_namespace', "Give the namespaces as a list of names, e.g. ['support'].")
  }
  if (namespaces?.length === 0) {
    throw new SessionError('unknown_namespace', 'A session without namespaces has no tools: give at least one.')
  }
  return { sessionId, userId, namespaces: namespaces && Object.freeze([...namespaces]) }
}

/**
 * Whether a session, open or stored, is the one that is asked for. Of another user's session nothing is said but that.
 *
 * @throws {SessionError} `wrong_user`, `other_namespaces`.
 */
export function requireAsked(
  found: Pick<StoredSession | Session, 'userId' | 'namespaces'>,
  { sessionId, userId, namespaces }: AskedSession,
): void {
  if (found.userId !== userId) {
    throw new SessionError('wrong_user', `The session '${sessionId}' is not this user's. Give the session another id.`)
  }
  if (namespaces === undefined || sameNames(found.namespaces, namespaces)) return
  throw new SessionError(
    'other_namespaces',
    `The session '${sessionId}' was opened with the namespaces ${listed(found.namespaces)}, not ${listed(namespaces)}: open it with the same ones, or a new session with these.`,
  )
}

/** What is said where there is no such session. */
export function unknownSession(sessionId: string, state: 'open' | 'stored'): SessionError {
  const advice = state === 'open' ? 'Open it first, or restore it.' : 'Open a new one.'
  return new SessionError('unknown_session', `No session '${sessionId}' is ${state}. ${advice}`)
}

function isNames(namespaces: unknown): boolean {
  return Array.isArray(namespaces) && namespaces.every((name) => typeof name === 'string')
}

function sameNames(one: readonly string[], other: readonly string[]): boolean {
  const names = new Set(one)
  return one.length === other.length && other.every((name) => names.has(name))
}

function listed(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}
