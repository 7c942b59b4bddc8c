import type { SessionCall } from '../contract/session.js'
import { SessionError } from './session-error.js'
import type { OpenSession } from './session-slots.js'

/** How a session is closed. */
export interface CloseSessionOptions {
  /** How long calls under way may still take, in milliseconds. Default 30,000. */
  readonly drainMs?: number
  /** How long the store may take after that, with all its tries, in milliseconds. Default 10,000. */
  readonly storeMs?: number
  /** Cancels the calls under way at once. Default false. */
  readonly cancel?: boolean
}

/** How a session is closed, checked. */
export type CloseLimits = Required<CloseSessionOptions>

/** @throws {RangeError} for a time that is none. */
export function closeLimits({
  drainMs = 30_000,
  storeMs = 10_000,
  cancel = false,
}: CloseSessionOptions = {}): CloseLimits {
  requireTime('drainMs', drainMs)
  requireTime('storeMs', storeMs)
  return { drainMs, storeMs, cancel }
}

/**
 * Lets a session come to its end: no new calls, those under way end or are cut, everything is stored.
 *
 * @param cut told which calls had to be cut
 * @throws {SessionError} `store_failed`, and the session may be closed again; `superseded`.
 */
export async function closeSession(
  { session, calls, journal }: OpenSession,
  { drainMs, storeMs, cancel }: CloseLimits,
  cut: (calls: readonly SessionCall[]) => void,
): Promise<void> {
  if (calls.refusal === undefined) calls.refuse(closing(session.id))
  if (cancel) cancelCalls({ calls })
  await calls.drained(drainMs)
  const left = calls.cut()
  if (left.length > 0) cut(left)
  await journal.finish(storeMs)
  if (journal.stopped !== undefined) calls.refuse(journal.stopped)
}

/** Cancels all calls of a session that is being closed. */
export function cancelCalls({ calls }: Pick<OpenSession, 'calls'>): void {
  calls.abort(new DOMException('the session was closed', 'AbortError'))
}

function closing(id: string): SessionError {
  return new SessionError(
    'closing',
    `The session '${id}' is being closed and takes no more calls. Open it again when that is done.`,
  )
}

function requireTime(option: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0) return
  throw new RangeError(`close: ${option} is ${String(value)}, give milliseconds from 0 on`)
}
