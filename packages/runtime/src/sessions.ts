/**
 * Sessions of users, and stores for these sessions: `@toolgen/runtime/sessions`.
 *
 * @module
 */

export type { ConversationOptions } from './sessions/conversation.js'
export type { Session, SessionCallOptions, SessionRunOptions } from './sessions/session.js'
export type { OpenOptions, RestoreOptions, SessionRegistryOptions, SessionUser } from './sessions/session-registry.js'
export { SessionRegistry } from './sessions/session-registry.js'
export { memoryStore, SessionError } from './sessions/stores.js'
export type { RememberedApproval } from './types/approval.js'
export type {
  ListSessionsOptions,
  SaveSessionOptions,
  SessionCall,
  SessionClaim,
  SessionCompletion,
  SessionEntry,
  SessionEvent,
  SessionOwner,
  SessionStore,
  SessionUpdate,
  SessionUsage,
  StoredCall,
  StoredMessage,
  StoredSession,
  StoredSessionPage,
  StoredSessionReader,
  StoredSessionSummary,
  SubscribeSessionOptions,
} from './types/session.js'
