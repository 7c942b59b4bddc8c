import type { JsonText } from './json.js'
import type { StoredOutcome } from './outcome.js'

/** A call of a streaming tool, as its session knows it. */
export interface SessionCall {
  /** The session's own id of the call; unique. */
  readonly callId: string
  /** The id that a model or a caller gave the call; absent where there was none. */
  readonly toolCallId?: string
  /** The tool's id, e.g. `reports.build`. */
  readonly tool: string
  /** Whether a run of an agent made the call: then runs take its result. */
  readonly isRun: boolean
}

/** An update of a call that has not been taken. */
export interface SessionUpdate extends SessionCall {
  readonly kind: 'update'
  /** Counts up over all entries of a session, also after it was restored. May have gaps. */
  readonly sequence: number
  /** 1 for the call's first update. */
  readonly index: number
  readonly update: JsonText
}

/** The end of a call that has not been taken. */
export interface SessionCompletion extends SessionCall {
  readonly kind: 'completed'
  /** Counts up over all entries of a session, also after it was restored. May have gaps. */
  readonly sequence: number
  readonly outcome: StoredOutcome
  /** How many of the call's updates were dropped since nobody took them; absent: none. */
  readonly droppedUpdates?: number
  /** Present where the session was closed before the call had ended: the outcome is a failure with reason `timeout`. */
  readonly timedOut?: true
  /**
   * Size in bytes of a result that the session did not keep, because that exceeded its `maxBytes`: the outcome is a failure
   * with reason `internal`. Absent: nothing was dropped.
   */
  readonly droppedBytes?: number
}

/** What a session has for whoever takes it. Plain data: it can be written as JSON and read again. */
export type SessionEntry = SessionUpdate | SessionCompletion

/** A call that was acknowledged and has not ended. */
export interface StoredCall extends SessionCall {
  /** In milliseconds since the epoch. */
  readonly startedAt: number
  /** How many of the call's updates were dropped so far since nobody took them; absent: none. */
  readonly droppedUpdates?: number
}

/** A call that has ended, with those of its updates that nobody had taken before. */
export interface CompletedCall {
  readonly completion: SessionCompletion
  /** In order of arrival. */
  readonly updates: readonly SessionUpdate[]
}

/** All of a session that outlives it. Plain data: it can be written as JSON and read again. */
export interface StoredSession {
  readonly version: 1
  readonly sessionId: string
  readonly userId: string
  /** As they were given when the session was opened first. */
  readonly namespaces: readonly string[]
  /** The ids of the tools that the session had, in the order of its namespaces. */
  readonly availableTools: readonly string[]
  /** What nobody has taken, in order of arrival. */
  readonly entries: readonly SessionEntry[]
  /** In the order in which they were acknowledged. Their work is not stored: after a crash they count as interrupted. */
  readonly running: readonly StoredCall[]
  /** Higher than the sequence of every entry that there ever was. */
  readonly nextSequence: number
}

/** Who asks for a session. */
export interface SessionClaim {
  readonly userId: string
  /** Made anew each time that a session is opened, unique over all processes. */
  readonly owner: string
  /** Given what is stored before it is claimed. What it throws passes, and the session stays with its owner. */
  readonly check?: (stored: StoredSession) => void
}

/** What is known of a session that is saved. */
export interface SaveSessionOptions {
  /** Whether its owner knows it to be stored: then one that was deleted is not made anew. Default false. */
  readonly isStored?: boolean
}

/**
 * Keeps sessions. One session has one owner at a time: whoever claimed it last. Calls for one session come one after
 * another, those for several sessions at the same time. A failure of the store itself is a `SessionError` with the code
 * `store_failed` and what happened as its cause; anything else that a method throws counts as that too.
 */
export interface SessionStore {
  /** Whether what was saved outlives the process. Else a session is saved only when it is closed. */
  readonly isDurable: boolean
  /**
   * The state of a session, which belongs to this owner from now on: whoever held it before gets `superseded` from `save`.
   *
   * @returns `undefined` where nothing is stored
   * @throws {SessionError} `wrong_user` where the session is another user's, which changes nothing; `corrupt_state` or `newer_state`, with the place, where it cannot be read; `store_failed`.
   */
  claim(sessionId: string, who: SessionClaim): Promise<StoredSession | undefined>
  /**
   * Creates or replaces the state of a session, as a whole or not at all. The first save of a session that was not
   * stored makes its owner the owner.
   *
   * @throws {SessionError} `superseded` where another owner has it, or it was stored and is no more; `store_failed`: the state may be the old or the new one.
   */
  save(session: StoredSession, owner: string, how?: SaveSessionOptions): Promise<void>
  /**
   * Deletes a session, whoever has claimed it and whether or not it can be read.
   *
   * @returns whether it was stored
   * @throws {SessionError} `wrong_user`, `store_failed`.
   */
  delete(sessionId: string, who: Pick<SessionClaim, 'userId'>): Promise<boolean>
  /**
   * Tells the store that the session is no longer open under this owner, who saves nothing more. A store that remembers
   * something of open sessions, for example what it has written, can delete that.
   */
  release?(sessionId: string, owner: string): void
  /** Lets go of what the store holds. */
  close?(): Promise<void>
}

/** What became of a session, for logs and metrics. */
export type SessionEvent = {
  readonly sessionId: string
  /** In milliseconds since the epoch. */
  readonly at: number
} & (
  | {
      /** A session that nothing was stored of. */
      readonly type: 'opened'
      readonly durationMs: number
    }
  | {
      readonly type: 'restored'
      /** How many entries wait to be taken, those of the interrupted calls included. */
      readonly entries: number
      /** The calls that ran when the process that had them ended. */
      readonly interrupted: readonly SessionCall[]
      /** The ids of tools that the session had and that there are no more. */
      readonly missingTools: readonly string[]
      readonly durationMs: number
    }
  | {
      /** The session was closed before these calls had ended: each has a completion that says `timedOut`. */
      readonly type: 'calls_timed_out'
      readonly calls: readonly SessionCall[]
    }
  | { readonly type: 'saved'; readonly durationMs: number }
  | {
      /**
       * `open` or `restore` had to look for a session and could not give it; the store did not take what there was, and is
       * asked again; `close` gave up, and the session stays open.
       */
      readonly type: 'open_failed' | 'save_failed' | 'close_failed'
      readonly error: Error
      readonly durationMs: number
    }
  | { readonly type: 'closed'; readonly durationMs: number }
  /** The session was opened elsewhere, and ended here. */
  | { readonly type: 'superseded' }
)

/**
 * Is told of what becomes of sessions. It is not waited for; what it gives back is ignored, and what it throws or rejects
 * with is dropped.
 */
export type SessionEventSink = (event: SessionEvent) => unknown

/** What an open session holds at one moment. */
export interface SessionUsage {
  readonly sessionId: string
  /** The calls under way whose result is still to come. */
  readonly pendingCalls: number
  /** What nobody has taken, that which waits for the store included. */
  readonly entries: number
  /** The memory that the entries take up, roughly: their text at a byte for each character, and what holds it. */
  readonly bytes: number
  /** How many changes wait for the store: it grows while the store is down. */
  readonly unsaved: number
}

/** What metrics need of a `SessionRegistry`. */
export interface ObservableSessions {
  /** What each open session holds at this moment. */
  usage(): readonly SessionUsage[]
  /** Tells one more of what becomes of sessions. @returns ends that */
  subscribe(sink: SessionEventSink): () => void
}
