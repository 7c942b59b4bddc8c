import type { JsonText } from './json.js'
import type { StoredOutcome } from './outcome.js'

/** Call of a streaming tool in a session. */
export interface SessionCall {
  /** Unique id of the call in the session. */
  readonly callId: string
  /** Id that the model or the caller gave the call; absent if there was none. */
  readonly toolCallId?: string
  /** Id of the tool, e.g. `reports.build`. */
  readonly tool: string
  /** True if a run of an agent made the call. Its result is then reserved for runs. */
  readonly isRun: boolean
}

/** Update of a call that has not been consumed. */
export interface SessionUpdate extends SessionCall {
  /** Kind of the entry. */
  readonly kind: 'update'
  /** Increases over all entries of a session, also after it was restored. May have gaps. */
  readonly sequence: number
  /** 1 for the first update of the call. */
  readonly index: number
  /** Update as JSON text. */
  readonly update: JsonText
}

/** Result of a call that has not been consumed. */
export interface SessionCompletion extends SessionCall {
  /** Kind of the entry. */
  readonly kind: 'completed'
  /** Increases over all entries of a session, also after it was restored. May have gaps. */
  readonly sequence: number
  /** Outcome of the call. */
  readonly outcome: StoredOutcome
  /** Number of updates that were dropped because nobody consumed them. Absent: none. */
  readonly droppedUpdates?: number
  /** Present if the session was closed before the call had ended; the outcome is a failure with the reason `timeout`. */
  readonly timedOut?: true
  /**
   * Size in bytes of a result that was dropped because it exceeded the session's `maxBytes`; the outcome is a failure with the
   * reason `internal`. Absent: nothing was dropped.
   */
  readonly droppedBytes?: number
}

/** Entry of a session that has not been consumed. Plain data that can be written as JSON and read again. */
export type SessionEntry = SessionUpdate | SessionCompletion

/** Started call that has not ended. */
export interface StoredCall extends SessionCall {
  /** In milliseconds since the epoch. */
  readonly startedAt: number
  /** Number of updates that were dropped so far because nobody consumed them. Absent: none. */
  readonly droppedUpdates?: number
}

/** Call that has ended, with the updates that were not consumed before. */
export interface CompletedCall {
  readonly completion: SessionCompletion
  /** In order of arrival. */
  readonly updates: readonly SessionUpdate[]
}

/** State of a session. Plain data that can be written as JSON and read again. */
export interface StoredSession {
  /** Version of the format. */
  readonly version: 1
  /** Id of the session. */
  readonly sessionId: string
  /** User of the session. */
  readonly userId: string
  /** Namespaces that the session was first opened with. */
  readonly namespaces: readonly string[]
  /** Ids of the tools of the session, in the order of its namespaces. */
  readonly availableTools: readonly string[]
  /** Entries that nobody has consumed, in order of arrival. */
  readonly entries: readonly SessionEntry[]
  /** In the order in which they started. Their work is not stored: after a crash they count as interrupted. */
  readonly running: readonly StoredCall[]
  /** Higher than the sequence of every entry so far. */
  readonly nextSequence: number
}

/** Claim of the ownership of a session. */
export interface SessionClaim {
  /** User of the session. */
  readonly userId: string
  /** Id of this opening of the session, unique over all processes. */
  readonly owner: string
  /** Receives the stored state before it is claimed. If it throws, `claim` throws that, and the session keeps its owner. */
  readonly check?: (stored: StoredSession) => void
}

/** Options of `save`. */
export interface SaveSessionOptions {
  /** True if the session is known to be stored. It is then not created again after it was deleted. Default `false`. */
  readonly isStored?: boolean
}

/**
 * Storage of sessions. A session has one owner at a time: the last one that claimed it. Calls for one session come one after
 * the other, calls for several sessions at the same time. Errors of the store are a `SessionError` with the code
 * `store_failed` and the original error as its cause; any other error that a method throws counts as that too.
 */
export interface SessionStore {
  /** True if saved sessions outlive the process. Otherwise a session is saved only when it is closed. */
  readonly isDurable: boolean
  /**
   * Returns the state of a session and makes the caller its owner: `save` of the previous owner fails with `superseded`.
   *
   * @returns `undefined` if nothing is stored
   * @throws {SessionError} `wrong_user` if the session belongs to another user, which changes nothing; `corrupt_state` or `newer_state`, with the location, if it cannot be read; `store_failed`
   */
  claim(sessionId: string, claim: SessionClaim): Promise<StoredSession | undefined>
  /**
   * Creates or replaces the state of a session, completely or not at all. The first save of a new session makes the caller
   * its owner.
   *
   * @throws {SessionError} `superseded` if another owner has it, or it was deleted; `store_failed`: the state may be the old or the new one
   */
  save(session: StoredSession, owner: string, options?: SaveSessionOptions): Promise<void>
  /**
   * Deletes a session, whoever has claimed it, also if it cannot be read.
   *
   * @returns whether it was stored
   * @throws {SessionError} `wrong_user`, `store_failed`
   */
  delete(sessionId: string, user: Pick<SessionClaim, 'userId'>): Promise<boolean>
  /** Notifies the store that this owner has closed the session and saves nothing more, so that caches can be cleared. */
  release?(sessionId: string, owner: string): void
  /** Releases the resources of the store. */
  close?(): Promise<void>
}

/** Event of a session, for logs and metrics. */
export type SessionEvent = {
  readonly sessionId: string
  /** In milliseconds since the epoch. */
  readonly at: number
} & (
  | {
      /** A new session was opened. */
      readonly type: 'opened'
      readonly durationMs: number
    }
  | {
      readonly type: 'restored'
      /** Number of entries that nobody has consumed, with those of the interrupted calls. */
      readonly entries: number
      /** Calls that were running when their process ended. */
      readonly interrupted: readonly SessionCall[]
      /** Ids of tools that the session had and that no longer exist. */
      readonly missingTools: readonly string[]
      readonly durationMs: number
    }
  | {
      /** The session was closed before these calls had ended: their completions have `timedOut`. */
      readonly type: 'calls_timed_out'
      readonly calls: readonly SessionCall[]
    }
  | { readonly type: 'saved'; readonly durationMs: number }
  | {
      /**
       * `open` or `restore` failed after looking for a session; the store failed to save and is tried again; or `close` gave
       * up, and the session stays open.
       */
      readonly type: 'open_failed' | 'save_failed' | 'close_failed'
      readonly error: Error
      readonly durationMs: number
    }
  | { readonly type: 'closed'; readonly durationMs: number }
  /** The session was opened elsewhere, and ended here. */
  | { readonly type: 'superseded' }
)

/** Receives events of sessions. It is not waited for; its result and its errors are ignored. */
export type SessionEventSink = (event: SessionEvent) => unknown

/** Current content of an open session. */
export interface SessionUsage {
  /** Id of the session. */
  readonly sessionId: string
  /** Number of streaming calls whose results are outstanding. */
  readonly pendingCalls: number
  /** Number of entries that nobody has consumed, with those that wait for the store. */
  readonly entries: number
  /** Approximate memory of the entries: one byte per character, plus a fixed size per entry. */
  readonly bytes: number
  /** Number of changes that wait for the store; grows while the store is down. */
  readonly unsaved: number
}

/** Part of a `SessionRegistry` that metrics use. */
export interface ObservableSessions {
  /** Returns the current content of each open session. */
  usage(): readonly SessionUsage[]
  /** Adds a sink of session events. @returns a function that removes it */
  subscribe(sink: SessionEventSink): () => void
}
