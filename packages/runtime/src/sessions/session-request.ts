import type { StoredSession } from '../types/session.js'
import { SessionError, wrongUser } from './stores.js'

export interface SessionRequest {
  readonly sessionId: string
  readonly userId: string
  /** `undefined` accepts the namespaces of the stored session. */
  readonly namespaces: readonly string[] | undefined
}

const MAX_ID_LENGTH = 256

export function sessionRequest(sessionId: string, userId: string, namespaces?: readonly string[]): SessionRequest {
  requireId('session id', sessionId)
  requireId('user id', userId)
  if (namespaces === undefined) return { sessionId, userId, namespaces }
  if (!Array.isArray(namespaces) || !namespaces.every((name) => typeof name === 'string')) {
    throw new SessionError('unknown_namespace', "`namespaces` must be an array of names, for example ['support'].")
  }
  if (namespaces.length === 0) {
    throw new SessionError(
      'unknown_namespace',
      'A session without namespaces has no tools. Pass at least one namespace.',
    )
  }
  return { sessionId, userId, namespaces: Object.freeze([...namespaces]) }
}

export function requireId(name: 'session id' | 'user id' | 'call id', id: unknown): void {
  let problem: string
  if (typeof id !== 'string') problem = 'is not a string'
  else if (id === '') problem = 'is empty'
  else if (id.length > MAX_ID_LENGTH) problem = `has ${id.length} characters`
  // Some stores cannot save such characters.
  else if (/\p{Cc}|\p{Cs}/u.test(id)) problem = 'contains control characters or unpaired surrogates'
  else return
  throw new SessionError(
    'invalid_id',
    `The ${name} ${problem}. Use an id of your application with 1 to ${MAX_ID_LENGTH} characters, never one from a model.`,
  )
}

export function requireMatch(
  found: Pick<StoredSession, 'userId' | 'namespaces'>,
  { sessionId, userId, namespaces }: SessionRequest,
): void {
  if (found.userId !== userId) throw wrongUser(sessionId)
  const isSame =
    namespaces?.length === found.namespaces.length && namespaces.every((name) => found.namespaces.includes(name))
  if (namespaces === undefined || isSame) return
  const quoted = (all: readonly string[]): string => all.map((name) => `'${name}'`).join(', ')
  throw new SessionError(
    'other_namespaces',
    `The session '${sessionId}' was opened with the namespaces ${quoted(found.namespaces)}, not ${quoted(namespaces)}. Open it with the same namespaces, or open another session.`,
  )
}
