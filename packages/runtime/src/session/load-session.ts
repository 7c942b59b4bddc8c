import type { SessionClaim, StoredSession } from '../contract/session.js'
import { type AskedSession, requireAsked, unknownSession } from './asked-session.js'
import { openSession, type SessionContext } from './open-session.js'
import { restoredSession } from './restored-session.js'
import type { OpenSession } from './session-slots.js'
import type { NamespaceTools, SessionTools } from './session-tools.js'

/** How a session is found that is not open. */
export interface Loading {
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
