import { SessionError } from './session-error.js'

/** The longest id, in UTF-16 units. */
const LONGEST = 256

/**
 * Checks an id that a caller gives.
 *
 * @throws {SessionError} `invalid_id`.
 */
export function requireId(name: 'session id' | 'user id', id: unknown): void {
  const fault = faultOf(id)
  if (fault === undefined) return
  throw new SessionError(
    'invalid_id',
    `The ${name} ${fault}. Give the one of your own records, 1 to ${LONGEST} characters; never one that a model made up.`,
  )
}

function faultOf(id: unknown): string | undefined {
  if (typeof id !== 'string') return 'is no text'
  if (id === '') return 'is empty'
  if (id.length > LONGEST) return `has ${id.length} characters`
  // Neither can be stored everywhere.
  if (/\p{Cc}|\p{Cs}/u.test(id)) return 'holds control characters or half of a character'
  return undefined
}
