/**
 * Durable runs, which continue after a crash: `@toolgen/runtime/durable`. Contains the interfaces of durable engines
 * and the code that all engines share.
 *
 * @module
 */
export {
  type DurableAgents,
  type DurableAgentsOptions,
  type DurableFacts,
  durableAgents,
} from './durable/durable-agents.js'
export { durableInput, requireAnswers } from './durable/durable-run.js'
export { openDurableSession, type SessionTransport } from './durable/durable-session.js'
export {
  type DurableCall,
  type DurableCallResult,
  type DurableClient,
  DurableError,
  type DurableErrorCode,
  type DurableInput,
  type DurableInvocation,
  type DurableParent,
  type DurableResult,
  type DurableRunOptions,
  type DurableStatus,
  type ParkedReport,
} from './durable/engine.js'
export type { UnknownOutcome } from './durable/journal.js'
export { runInvocation } from './durable/session-call.js'
export { type SessionObject, sessionCommand } from './durable/session-object.js'
export { type SessionReader, type SessionReadReply, type SessionReply, sessionRead } from './durable/session-record.js'
export type {
  DurableCallOptions,
  DurableConsumeOptions,
  DurableSession,
  DurableSessionOptions,
  DurableSessionRunOptions,
  DurableSessionsOptions,
  SessionCommand,
  SessionEntriesPage,
  SessionMessage,
  SessionRead,
} from './durable/session-types.js'
