import type { RememberedApproval } from './approval.js'
import type { JsonText } from './json.js'
import type { StoredOutcome } from './outcome.js'

/** Call of a streaming tool in a session: its ids and its tool. */
export interface SessionCall {
  /** Unique id of the call in the session. */
  readonly callId: string
  /** Id that the model or the caller gave the call; absent if there was none. */
  readonly toolCallId?: string
  /** Id of the tool, e.g. `reports.build`. */
  readonly tool: string
  /** True if a run of an agent made the call. `consume` then returns the result only with `runs: true`. */
  readonly isRun: boolean
}

/** Update of a streaming call, which the application has not consumed yet. */
export interface SessionUpdate extends SessionCall {
  /** Kind of the entry: always `update`. */
  readonly kind: 'update'
  /** Sequence number: greater than the number of every earlier entry of the session, also after a restart. Numbers can be skipped. */
  readonly sequence: number
  /** Number of the update within its call, from 1. */
  readonly index: number
  /** Update as JSON text. */
  readonly update: JsonText
}

/** Outcome of an ended streaming call, which the application has not consumed yet. */
export interface SessionCompletion extends SessionCall {
  /** Kind of the entry: always `completed`. */
  readonly kind: 'completed'
  /** Sequence number: greater than the number of every earlier entry of the session, also after a restart. Numbers can be skipped. */
  readonly sequence: number
  /** Outcome of the call: completed or failed. */
  readonly outcome: StoredOutcome
  /** Number of updates of the call that were dropped because of the session's limits. Absent if none were dropped. */
  readonly droppedUpdates?: number
  /**
   * True if the session was closed before the call had ended; absent otherwise. The outcome is then a failure with the reason `timeout`.
   */
  readonly timedOut?: true
  /**
   * Size in bytes of a result that was dropped because it exceeded the session's `maxBytes`. The outcome is then a failure with the reason
   * `internal`. Absent if the result was not dropped.
   */
  readonly droppedBytes?: number
}

/** Update or outcome that the application has not consumed yet. Plain data that can be serialized as JSON. */
export type SessionEntry = SessionUpdate | SessionCompletion

/** Running call of a stored session. */
export interface StoredCall extends SessionCall {
  /** Time at which the call started, in milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** Number of updates that were dropped so far because of the session's limits. Absent if none were dropped. */
  readonly droppedUpdates?: number
}

/** Call that has ended, with its unconsumed updates. */
export interface CompletedCall {
  readonly completion: SessionCompletion
  /** The updates in the order in which they arrived. */
  readonly updates: readonly SessionUpdate[]
}

/** Message of the conversation of a session, as it is stored. */
export interface StoredMessage {
  /** Sequence number: greater than the number of every earlier message and entry of the session. */
  readonly sequence: number
  /** Chat message as JSON text. */
  readonly message: JsonText
}

/** State of a session. Plain data that can be serialized as JSON. */
export interface StoredSession {
  /** Version of the format of this object. */
  readonly version: 1
  /** Id of the session, which the application chose. */
  readonly sessionId: string
  /** Id of the user to whom the session belongs. Other users cannot claim the session. */
  readonly userId: string
  /** Tool namespaces with which the session was opened for the first time. */
  readonly namespaces: readonly string[]
  /** Ids of the tools in these namespaces, in the order of `namespaces`. */
  readonly availableTools: readonly string[]
  /** Entries that the application has not consumed yet, in order of arrival. */
  readonly entries: readonly SessionEntry[]
  /** Running calls, in the order in which they started. After a crash, these calls end as `interrupted`. */
  readonly running: readonly StoredCall[]
  /** Messages of the session's runs, the oldest first. Absent if the session has no messages. */
  readonly messages?: readonly StoredMessage[]
  /** Approvals that cover later calls of the session, the oldest first. Absent without any. */
  readonly approvals?: readonly RememberedApproval[]
  /** Sequence number for the next entry or message: greater than the `sequence` of every entry and message so far. */
  readonly nextSequence: number
  /**
   * Pseudonyms in the session (texts that replace sensitive values) with their values, encrypted by the option
   * `sensitive` of the runtime. Absent without any.
   */
  readonly sensitive?: string
}

/** Data with which a session registry claims the ownership of a stored session. */
export interface SessionClaim {
  /** Id of the user who opens the session. The session must belong to this user. */
  readonly userId: string
  /** Id of the new owner. A registry creates one for each opening of a session, unique across all processes. */
  readonly owner: string
  /** Receives the stored state before the owner changes. If this function throws, `claim` rejects and the owner does not change. */
  readonly check?: (stored: StoredSession) => void
  /** True to take the session from an owner that still holds it. Default: `false`. */
  readonly takeOver?: boolean
  /** Called if the store notices that this owner no longer has the session, because it was taken over or deleted. Called at most once. */
  readonly onSuperseded?: (error: Error) => void
}

/** Options of a subscription to the entries of a session: the user, and the start position. */
export interface SubscribeSessionOptions {
  /** Id of the authenticated user. The session must belong to this user. */
  readonly userId: string
  /**
   * Number (`sequence`) of the last entry that the subscriber has read. The subscription begins with the next entry. Default: the last
   * stored entry, so that only new entries follow.
   */
  readonly after?: number
}

/** Process that has opened a session. */
export interface SessionOwner {
  /** Address of the process: the option `owner.address` of its store. Absent if the store has no address. */
  readonly address?: string
  /**
   * End of the owner's lease by the clock of the database, in milliseconds since the Unix epoch. The owner renews the lease while its
   * process runs. Absent if the store has no leases.
   */
  readonly expiresAt?: number
  /** Time until the end of the lease in milliseconds, by the clock of the database. Absent if the store has no leases. */
  readonly expiresInMs?: number
}

/** Options of `SessionStore.save`: whether the session is stored already, its new entries, and whether the owner releases it. */
export interface SaveSessionOptions {
  /** True if the session is in the store already. If the session was deleted in the meantime, `save` fails. Default: `false`. */
  readonly isStored?: boolean
  /**
   * Entries that were added since the last save of this owner, even if they were consumed in the meantime. A store with subscribers keeps
   * them for the subscribers. Present only if the store has the method `subscribe`.
   */
  readonly newEntries?: readonly SessionEntry[]
  /** True if the owner closes the session with this save. Others can then claim the session. Default: `false`. */
  readonly releases?: boolean
}

/**
 * Storage of sessions. A session has one owner: the last one that claimed it. The owner holds the session until it releases the session, or
 * until its lease expires, if the store has leases. The runtime makes one request per session at a time; only `confirm` can run at any time. If a method fails, it rejects with a `SessionError` that has the code `store_failed` and the original
 * error as `cause`. The runtime treats other errors like `store_failed`.
 */
export interface SessionStore {
  /** True if saved sessions survive the end of the process. If false, a session is saved only when it is closed. */
  readonly isDurable: boolean
  /**
   * Returns the state of a session and makes the caller its owner. Later, `save` rejects with the code `superseded` for
   * the previous owner.
   *
   * @returns `undefined` if the session is not stored
   * @throws {SessionError} `open_elsewhere` without changes if another owner holds the session and `takeOver` is not set; the error has the
   * property `owner`; `wrong_user` without changes if the session belongs to another user; `corrupt_state` or
   * `newer_state`, with the location of the problem, if the stored state cannot be read; `store_failed`
   */
  claim(sessionId: string, claim: SessionClaim): Promise<StoredSession | undefined>
  /**
   * Creates or replaces the state of a session atomically. The first save of a new session makes the caller its owner.
   *
   * @throws {SessionError} `superseded` if the session has another owner or was deleted; `store_failed`, after which
   * the store contains either the old or the new state
   */
  save(session: StoredSession, owner: string, options?: SaveSessionOptions): Promise<void>
  /**
   * Deletes a session, even if it has another owner or its stored state cannot be read.
   *
   * @returns true if the session was stored
   * @throws {SessionError} `wrong_user`, `store_failed`
   */
  delete(sessionId: string, user: Pick<SessionClaim, 'userId'>): Promise<boolean>
  /**
   * Checks that the owner still has the session. The session calls this method before each run of a tool: while a process was paused,
   * another process may have taken over the session, and the paused process must then run no more tools. If the method is absent, the
   * session does not check its ownership.
   *
   * @throws {SessionError} `superseded` if the session has another owner or was deleted; `store_failed`
   */
  confirm?(sessionId: string, owner: string): Promise<void>
  /**
   * Iterates over the entries of a session that any process stores, in the order of their numbers. Resolves when the start position is
   * fixed, so that no later entry is missed.
   *
   * @throws {SessionError} `unknown_session`, `wrong_user`, `entries_expired`, `store_failed`
   */
  subscribe?(sessionId: string, options: SubscribeSessionOptions): Promise<AsyncIterableIterator<SessionEntry>>
  /**
   * Called after the last request of the owner: when the session is closed, when it was taken over, or when it could not be opened. If the
   * owner still holds the session, the store releases it. Absent if the store needs no notice.
   */
  release?(sessionId: string, owner: string): void
  /** Releases the resources of the store. Called by the application, not by the registry. */
  close?(): Promise<void>
}

/** Stored session in a list. */
export interface StoredSessionSummary extends Pick<StoredSession, 'sessionId' | 'userId' | 'namespaces'> {
  /** Time of the last save in milliseconds since the Unix epoch. */
  readonly savedAt: number
}

/** Page of stored sessions, the last saved session first. */
export interface StoredSessionPage {
  readonly sessions: readonly StoredSessionSummary[]
  /** Position of the next page, for the option `after`. Absent for the last page. */
  readonly next?: string
}

/** Options of `StoredSessionReader.list`: size and position of the page. */
export interface ListSessionsOptions {
  /** Maximum number of sessions. Default: 50. */
  readonly limit?: number
  /** Position from `next` of the page before. Default: the first page. */
  readonly after?: string
}

/**
 * Reads the stored sessions of all users without owning them, for example for the studio. Check who may read them. The stores of this package
 * implement this interface. An open session can be newer than its stored state.
 */
export interface StoredSessionReader {
  /**
   * Lists stored sessions.
   *
   * @throws {RangeError} if `limit` is not a positive integer, or if `after` is no position
   * @throws {SessionError} `store_failed`
   */
  list(options?: ListSessionsOptions): Promise<StoredSessionPage>
  /**
   * Returns the stored state of a session; `undefined` if it is not stored.
   *
   * @throws {SessionError} `corrupt_state`, `newer_state`, `store_failed`
   */
  read(sessionId: string): Promise<StoredSession | undefined>
}

/** Event of a session, for logs and metrics. */
export type SessionEvent = {
  readonly sessionId: string
  /** Time of the event in milliseconds since the Unix epoch. */
  readonly at: number
} & (
  | {
      /** A new session was opened. */
      readonly type: 'opened'
      readonly durationMs: number
    }
  | {
      readonly type: 'restored'
      /** Number of entries that the application has not consumed yet, including the entries of interrupted calls. */
      readonly entries: number
      /** Calls that were running when their process ended. */
      readonly interrupted: readonly SessionCall[]
      /** Ids of the session's tools that no longer exist. */
      readonly missingTools: readonly string[]
      readonly durationMs: number
    }
  | {
      /** The session was closed before these calls had ended. The entries with their outcomes have `timedOut: true`. */
      readonly type: 'calls_timed_out'
      readonly calls: readonly SessionCall[]
    }
  | { readonly type: 'saved'; readonly durationMs: number }
  | {
      /**
       * `open_failed`: `open` or `restore` failed. `save_failed`: the store failed to save the session and the save is
       * tried again. `close_failed`: `close` failed and the session stays open.
       */
      readonly type: 'open_failed' | 'save_failed' | 'close_failed'
      readonly error: Error
      readonly durationMs: number
    }
  | { readonly type: 'closed'; readonly durationMs: number }
  /** Another process has taken the session over. The session has ended in this process. */
  | { readonly type: 'superseded' }
)

/** Receives events of sessions. The runtime does not await the sink and ignores its errors. */
export type SessionEventSink = (event: SessionEvent) => unknown

/** Number and size of the entries of an open session, at one moment. */
export interface SessionUsage {
  /** Id of the session. */
  readonly sessionId: string
  /** Number of streaming calls without a result. */
  readonly pendingCalls: number
  /** Number of entries that the application has not consumed yet. Includes entries that are not stored yet. */
  readonly entries: number
  /** Approximate memory of the entries in bytes: one byte per character, plus a fixed size per entry. */
  readonly bytes: number
  /** Number of changes that are not stored yet. Grows while the store is unavailable. */
  readonly unsaved: number
}

/** The methods of a `SessionRegistry` that metrics need. */
export interface ObservableSessions {
  /** Returns the current content of each open session. */
  usage(): readonly SessionUsage[]
  /** Adds a sink for session events. @returns a function that removes the sink */
  subscribe(sink: SessionEventSink): () => void
}
