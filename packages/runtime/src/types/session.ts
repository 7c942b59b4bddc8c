import type { RememberedApproval } from './approval.js'
import type { JsonText } from './json.js'
import type { StoredOutcome } from './outcome.js'

/** Call of a streaming tool in a session: its ids and its tool. */
export interface SessionCall {
  /** Unique id of the call in the session. */
  readonly callId: string
  /** Id that the model or the application gave the call. Absent if the call had no such id. */
  readonly toolCallId?: string
  /** Id of the tool, e.g. `reports.build`. */
  readonly tool: string
  /** True if a run of an agent made the call. The method `consume` returns the result of such a call only with the option `runs: true`. */
  readonly isRun: boolean
}

/** Update of a streaming call. The application has not consumed the update yet. */
export interface SessionUpdate extends SessionCall {
  /** Distinguishes updates from outcomes: always `update`. */
  readonly kind: 'update'
  /**
   * Sequence number of the update, higher than all earlier sequence numbers of the session, even after a restart.
   * The numbers can have gaps.
   */
  readonly sequence: number
  /** Number of the update within its call, from 1. */
  readonly index: number
  /** Update as JSON text. */
  readonly update: JsonText
}

/** Outcome of an ended streaming call. The application has not consumed the outcome yet. */
export interface SessionCompletion extends SessionCall {
  /** Distinguishes outcomes from updates: always `completed`, even if the call failed. */
  readonly kind: 'completed'
  /**
   * Sequence number of the outcome, higher than all earlier sequence numbers of the session, even after a restart.
   * The numbers can have gaps.
   */
  readonly sequence: number
  /** Outcome of the call: completed or failed. */
  readonly outcome: StoredOutcome
  /** Number of updates of the call that the session dropped because of its limits. Absent if the session dropped no updates. */
  readonly droppedUpdates?: number
  /**
   * True if the session was closed before the call ended. The outcome of such a call is a failure with the reason
   * `timeout`. Absent if the call ended first.
   */
  readonly timedOut?: true
  /**
   * Size in bytes of a result that the session dropped because the result exceeded `maxBytes` of the session. The
   * outcome of such a call is a failure with the reason `internal`. Absent if the session did not drop the result.
   */
  readonly droppedBytes?: number
}

/** Update or outcome that the application has not consumed yet. Plain data that can be serialized as JSON. */
export type SessionEntry = SessionUpdate | SessionCompletion

/** Running call of a stored session. */
export interface StoredCall extends SessionCall {
  /** Time at which the call started, in milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** Number of updates that the session has dropped so far because of its limits. Absent if the session dropped no updates. */
  readonly droppedUpdates?: number
}

/** Ended streaming call with its outcome, and with those updates of the call that the application has not consumed yet. */
export interface CompletedCall {
  readonly completion: SessionCompletion
  readonly updates: readonly SessionUpdate[]
}

/** Stored message of a session's conversation. */
export interface StoredMessage {
  /** Sequence number of the message, higher than the numbers of all earlier messages, updates and outcomes of the session. */
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
  /** Names of the agents, toolsets or design namespaces whose tools the session contains, e.g. `support`. Never changed after the creation. */
  readonly namespaces: readonly string[]
  /** Ids of the tools in these namespaces, in the order of `namespaces`. */
  readonly availableTools: readonly string[]
  /** Entries that the application has not consumed yet, in order of arrival. */
  readonly entries: readonly SessionEntry[]
  /** Running calls, in the order in which they started. After a crash, these calls fail with the reason `interrupted`. */
  readonly running: readonly StoredCall[]
  /** Messages of the session's runs, the oldest first. Absent if the session has no messages. */
  readonly messages?: readonly StoredMessage[]
  /** Approvals that the session remembers for later calls, the oldest first. Absent if the session stores no approvals. */
  readonly approvals?: readonly RememberedApproval[]
  /** Sequence number that the next update, outcome or message receives. */
  readonly nextSequence: number
  /**
   * Sensitive values, and the generated texts (pseudonyms) that replace these values in the session. The option
   * `sensitive` of the runtime encrypts this data. Absent if the session contains no pseudonyms.
   */
  readonly sensitive?: string
}

/** Data with which a session registry becomes the owner of a stored session. */
export interface SessionClaim {
  /** Id of the user who opens the session. The session must belong to this user. */
  readonly userId: string
  /** Id of the new owner, unique across all processes. A registry creates a new id for each opening of a session. */
  readonly owner: string
  /**
   * Function that receives the stored state before the owner changes. If this function throws, `claim` rejects and the
   * owner does not change.
   */
  readonly check?: (stored: StoredSession) => void
  /** True to become the owner even if the session still has another owner. Default: `false`. */
  readonly takeOver?: boolean
  /**
   * Function that the store calls when another owner has taken over the session, or when the session was deleted. The
   * store calls the function at most once.
   */
  readonly onSuperseded?: (error: Error) => void
}

/** Options of a subscription to the entries of a session: the user, and the start position. */
export interface SubscribeSessionOptions {
  /** Id of the authenticated user. The session must belong to this user. */
  readonly userId: string
  /**
   * Property `sequence` of the last entry that the subscriber has read. The subscription begins with the next entry. Default: the last stored entry,
   * so that only new entries follow.
   */
  readonly after?: number
}

/** Process that has opened a session. */
export interface SessionOwner {
  /** Address of the process: the option `owner.address` of its store. Absent if the store has no address. */
  readonly address?: string
  /**
   * Time at which the ownership expires (end of the lease), in milliseconds since the Unix epoch by the clock of the
   * database. The owner renews the lease while its process runs. Absent if the store has no leases.
   */
  readonly expiresAt?: number
  /** Time until the ownership expires (end of the lease), in milliseconds by the clock of the database. Absent if the store has no leases. */
  readonly expiresInMs?: number
}

/** Options of `SessionStore.save`, for example the new entries of the session. */
export interface SaveSessionOptions {
  /** True if an earlier save stored the session. With this option, `save` fails if the session was deleted in the meantime. Default: `false`. */
  readonly isStored?: boolean
  /**
   * Entries that the session added since the last save of this owner, including entries that the application has
   * consumed. A store with subscribers stores these entries for the subscribers. Present only if the store has the
   * method `subscribe`.
   */
  readonly newEntries?: readonly SessionEntry[]
  /** True if the owner closes the session with this save. After this save, another owner can claim the session. Default: `false`. */
  readonly releases?: boolean
}

/**
 * Storage of sessions. A session has one owner: the session registry that claimed the session most recently. The ownership ends when the owner
 * releases the session. In a store with leases, the ownership also ends when the lease expires. The runtime makes only one request per session at a
 * time; only calls of `confirm` can run in parallel.
 *
 * If a method fails, the promise rejects with a `SessionError` that has one of the codes below. If the database fails, the code is `store_failed`,
 * and `cause` is the error of the database. The runtime treats any error that is not a `SessionError` in the same way as `store_failed`.
 */
export interface SessionStore {
  /** True if saved sessions survive the end of the process. If false, the runtime saves a session only when the session is closed. */
  readonly isDurable: boolean
  /**
   * Returns the state of a session, and makes `claim.owner` the owner of the session. After this call, `save` rejects with the code `superseded` for
   * the previous owner.
   *
   * @returns `undefined` if the session is not stored
   * @throws {SessionError} with one of these codes:
   *
   * - `open_elsewhere`: the session has another owner, and `takeOver` is not set. The error has the property `owner`.
   * - `wrong_user`: the session belongs to another user.
   * - `corrupt_state` or `newer_state`: the store cannot read the stored state. The message contains the location.
   * - `store_failed`: the store failed.
   *
   * After `open_elsewhere` and `wrong_user`, the stored session is unchanged.
   */
  claim(sessionId: string, claim: SessionClaim): Promise<StoredSession | undefined>
  /**
   * Creates or replaces the state of a session atomically. The first save of a new session makes `owner` the owner of the session.
   *
   * @throws {SessionError} `superseded` if the session has another owner or was deleted; `store_failed`, after which the store contains either the
   * old or the new state
   */
  save(session: StoredSession, owner: string, options?: SaveSessionOptions): Promise<void>
  /**
   * Deletes a session, even if the session has another owner or the store cannot read its state.
   *
   * @returns true if the session was stored
   * @throws {SessionError} `wrong_user`, `store_failed`
   */
  delete(sessionId: string, user: Pick<SessionClaim, 'userId'>): Promise<boolean>
  /**
   * Checks that `owner` still owns the session. The session calls this method before each run of a tool. If another process took over the session
   * during a pause of this process, this process must not run more tools. If the method is absent, the session does not check its ownership.
   *
   * @throws {SessionError} `superseded` if the session has another owner or was deleted; `store_failed`
   */
  confirm?(sessionId: string, owner: string): Promise<void>
  /**
   * Returns an iterator over the entries that all processes store for a session, in the order of their sequence numbers. The promise resolves when
   * the start position of the subscription is known. From this time on, the iterator returns every new entry.
   *
   * @throws {SessionError} `unknown_session`, `wrong_user`, `entries_expired`, `store_failed`
   */
  subscribe?(sessionId: string, options: SubscribeSessionOptions): Promise<AsyncIterableIterator<SessionEntry>>
  /**
   * Notifies the store that the owner makes no more requests, because the session was closed, was taken over or could
   * not be opened. If the session still has this owner, the store releases the session. Absent if the store does not
   * need this notification.
   */
  release?(sessionId: string, owner: string): void
  /** Releases the resources of the store. The application calls this method. The registry does not call it. */
  close?(): Promise<void>
}

/** Summary of a stored session. `StoredSessionReader.list` returns summaries. */
export interface StoredSessionSummary extends Pick<StoredSession, 'sessionId' | 'userId' | 'namespaces'> {
  /** Time of the last save in milliseconds since the Unix epoch. */
  readonly savedAt: number
}

/** Page of stored sessions, sorted by the time of the last save, with the newest session first. */
export interface StoredSessionPage {
  readonly sessions: readonly StoredSessionSummary[]
  /** Position of the next page, for the option `after`. Absent for the last page. */
  readonly next?: string
}

/** Options of `StoredSessionReader.list`: size and position of the page. */
export interface ListSessionsOptions {
  /** Maximum number of sessions. Default: 50. */
  readonly limit?: number
  /** Value of `next` in the previous page. Default: the first page. */
  readonly after?: string
}

/**
 * Reads the stored sessions of all users without becoming their owner, for example for the studio. The application must check who may read the
 * sessions. The stores of this package implement this interface. While a session is open, its stored state can lag behind its state in memory.
 */
export interface StoredSessionReader {
  /**
   * Lists stored sessions.
   *
   * @throws {RangeError} if `limit` is not a positive integer, or if `after` is not a value of `next`
   * @throws {SessionError} `store_failed`
   */
  list(options?: ListSessionsOptions): Promise<StoredSessionPage>
  /**
   * Returns the stored state of a session, or `undefined` if the session is not stored.
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
      /** The session was closed before these calls had ended. The entries with the outcomes of these calls have `timedOut: true`. */
      readonly type: 'calls_timed_out'
      readonly calls: readonly SessionCall[]
    }
  | { readonly type: 'saved'; readonly durationMs: number }
  | {
      /**
       * `open_failed`: `open` or `restore` failed. `save_failed`: the store failed to save the session, and the runtime
       * tries again. `close_failed`: `close` failed, and the session stays open.
       */
      readonly type: 'open_failed' | 'save_failed' | 'close_failed'
      readonly error: Error
      readonly durationMs: number
    }
  | { readonly type: 'closed'; readonly durationMs: number }
  /** Another process has taken over the session. The session has ended in this process. */
  | { readonly type: 'superseded' }
)

/** Function that receives events of sessions. The runtime does not await the function and ignores its errors. */
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
  usage(): readonly SessionUsage[]
  subscribe(sink: SessionEventSink): () => void
}
