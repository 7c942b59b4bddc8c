import type { Effects } from '../contract/effects.js'
import type { StoredSession } from '../contract/session.js'
import type { GuardedStore } from './guarded-store.js'
import { SessionJournal } from './journal.js'
import { Session } from './session.js'
import { SessionCalls } from './session-calls.js'
import type { SessionError } from './session-error.js'
import type { SessionNews } from './session-news.js'
import { SessionRuns } from './session-runs.js'
import type { OpenSession } from './session-slots.js'
import type { SessionTools } from './session-tools.js'

/** What the sessions of a registry share. */
export interface SessionContext {
  readonly store: GuardedStore
  readonly effects: Effects
  readonly keptUpdates: number
  readonly keptBytes: number
  readonly news: SessionNews
}

/** What makes a session unlike others. */
export interface OpenParts {
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
export function openSession(
  { store, keptUpdates, keptBytes, news }: SessionContext,
  { state, isStored, owner, tools, missingTools, lost }: OpenParts,
): OpenSession {
  const { sessionId: id, userId, namespaces } = state
  let isKnown = isStored
  const journal = new SessionJournal(state, {
    keptUpdates,
    keptBytes,
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
