import type { Effects } from '../types/call-options.js'
import type { SessionCall, SessionClaim, SessionCompletion, StoredCall, StoredSession } from '../types/session.js'
import { SessionJournal } from './journal.js'
import { requireId, type SessionNews } from './open-sessions.js'
import { Session } from './session.js'
import { SessionCalls } from './session-calls.js'
import { SessionRuns } from './session-runs.js'
import type { OpenSession } from './session-slots.js'
import type { NamespaceTools, SessionTools } from './session-tools.js'
import { endedByUs, SessionError } from './session-types.js'
import type { GuardedStore } from './stores.js'

/** How a session is found that is not open. */
interface Loading {
  readonly context: SessionContext
  readonly tools: NamespaceTools
  readonly who: SessionClaim
  /** Told when another owner has taken the session over. */
  readonly lost: (opened: OpenSession) => void
}

/**
 * A session that is not open: the stored one, or a new one where namespaces are given.
 *
 * @throws {SessionError} `unknown_session`, `wrong_user`, `other_namespaces`, what its namespaces and its store fail with.
 */
export function loadSession(asked: AskedSession, loading: Loading): Promise<OpenSession> {
  const { news } = loading.context
  return news.ofFailure(asked.sessionId, 'open_failed', (elapsed) => loaded(asked, loading, elapsed))
}

async function loaded(asked: AskedSession, loading: Loading, elapsed: () => number): Promise<OpenSession> {
  try {
    return await claimed(asked, loading, elapsed)
  } catch (error) {
    loading.context.store.release(asked.sessionId, loading.who.owner)
    throw error
  }
}

async function claimed(
  asked: AskedSession,
  { context, tools, who, lost }: Loading,
  elapsed: () => number,
): Promise<OpenSession> {
  const { store, effects, news } = context
  const { sessionId, userId, namespaces } = asked
  const offeredTo = (stored: StoredSession): SessionTools =>
    tools.of(namespaces ?? stored.namespaces.filter((namespace) => tools.has(namespace)))
  const check = (stored: StoredSession): void => {
    requireAsked(stored, asked)
    offeredTo(stored)
  }
  const stored = await store.claim(sessionId, { ...who, check })
  if (stored === undefined) {
    if (namespaces === undefined) throw unknownSession(sessionId, 'stored')
    const offered = tools.of(namespaces)
    const state = newSession(sessionId, userId, namespaces, offered.ids)
    const opened = openSession(context, {
      state,
      isStored: false,
      owner: who.owner,
      tools: offered,
      missingTools: [],
      lost,
    })
    news.tell(sessionId, { type: 'opened', durationMs: elapsed() })
    return opened
  }
  // A store may be the application's own.
  check(stored)
  const offered = offeredTo(stored)
  const { state, interrupted, missingTools } = restoredSession(stored, offered, effects)
  if (interrupted.length > 0) await news.ofSave(sessionId, () => store.save(state, who.owner, { isStored: true }))
  const opened = openSession(context, { state, isStored: true, owner: who.owner, tools: offered, missingTools, lost })
  const { length: entries } = state.entries
  news.tell(sessionId, { type: 'restored', entries, interrupted, missingTools, durationMs: elapsed() })
  return opened
}

function newSession(
  sessionId: string,
  userId: string,
  namespaces: readonly string[],
  availableTools: readonly string[],
): StoredSession {
  return { version: 1, sessionId, userId, namespaces, availableTools, entries: [], running: [], nextSequence: 1 }
}

/** A stored session as it goes on: nothing of it runs any more. */
interface RestoredSession {
  readonly state: StoredSession
  /** The calls that ran when the process that had them ended. */
  readonly interrupted: readonly SessionCall[]
  /** The ids of tools that the session had and that there are no more. */
  readonly missingTools: readonly string[]
}

/** A stored session as it goes on: calls that ran have failed as interrupted, after all that came before. */
function restoredSession(stored: StoredSession, tools: SessionTools, { now }: Pick<Effects, 'now'>): RestoredSession {
  const known = new Set(tools.ids)
  const interrupted = stored.running.map((call, index) =>
    interruption(call, stored.nextSequence + index, tools, Math.max(0, now() - call.startedAt)),
  )
  const state: StoredSession = {
    ...stored,
    availableTools: tools.ids,
    entries: [...stored.entries, ...interrupted],
    running: [],
    nextSequence: stored.nextSequence + interrupted.length,
  }
  return {
    state,
    interrupted: stored.running.map(({ startedAt: _at, droppedUpdates: _dropped, ...facts }) => facts),
    missingTools: Object.freeze(stored.availableTools.filter((id) => !known.has(id))),
  }
}

/** @param durationMs until now: when the call was interrupted is not known */
function interruption(
  { startedAt: _, droppedUpdates, ...facts }: StoredCall,
  sequence: number,
  tools: SessionTools,
  durationMs: number,
): SessionCompletion {
  const tool = tools.find(facts.tool)?.served.tool
  return Object.freeze({
    kind: 'completed',
    sequence,
    ...facts,
    outcome: endedByUs(facts, { reason: 'interrupted', message: '', tool, durationMs }),
    ...(droppedUpdates !== undefined && { droppedUpdates }),
  })
}

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

/** What the sessions of a registry share. */
export interface SessionContext {
  readonly store: GuardedStore
  readonly effects: Effects
  readonly maxUpdatesPerCall: number
  readonly maxBytes: number
  readonly news: SessionNews
}

/** What makes a session unlike others. */
interface OpenParts {
  /** Nothing of it runs. */
  readonly state: StoredSession
  /** Whether the store has it. */
  readonly isStored: boolean
  readonly owner: string
  readonly tools: SessionTools
  readonly missingTools: readonly string[]
  /** Told when another owner has taken the session over. */
  readonly lost: (opened: OpenSession) => void
}

/** A session, ready for calls. */
function openSession(
  { store, maxUpdatesPerCall, maxBytes, news }: SessionContext,
  { state, isStored, owner, tools, missingTools, lost }: OpenParts,
): OpenSession {
  const { sessionId: id, userId, namespaces } = state
  let isKnown = isStored
  const journal = new SessionJournal(state, {
    maxUpdatesPerCall,
    maxBytes,
    isDurable: store.isDurable,
    save: async (current) => {
      await news.ofSave(id, () => store.save(current, owner, { isStored: isKnown }))
      isKnown = true
    },
    lost: (error: SessionError) => {
      calls.refuse(error)
      calls.abort(error)
      lost(opened)
      news.tell(id, { type: 'superseded' })
    },
    ended: () => store.release(id, owner),
  })
  const calls = new SessionCalls({ sessionId: id, tools, journal })
  const runs = new SessionRuns({ sessionId: id, tools, calls, journal })
  const session = new Session({ id, userId, namespaces, tools: tools.specs, missingTools, calls, runs, journal })
  const opened: OpenSession = { session, calls, journal }
  return opened
}
