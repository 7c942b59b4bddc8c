/**
 * Sessions of users, and stores that save these sessions: `@toolgen/runtime/sessions`.
 *
 * @module
 */

export type { Session, SessionCallOptions, SessionRunOptions } from './sessions/session.js'
export type { OpenOptions, SessionRegistryOptions, SessionUser } from './sessions/session-registry.js'
export { SessionRegistry } from './sessions/session-registry.js'
export { memoryStore, SessionError } from './sessions/stores.js'
export type {
  SaveSessionOptions,
  SessionCall,
  SessionClaim,
  SessionCompletion,
  SessionEntry,
  SessionEvent,
  SessionStore,
  SessionUpdate,
  SessionUsage,
  StoredCall,
  StoredSession,
} from './types/session.js'
