import type { SessionCall } from './session.js'

/** What of a session did not work. */
export type SessionFailure = 'open_failed' | 'save_failed' | 'close_failed'

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
      readonly type: 'calls_cut'
      readonly calls: readonly SessionCall[]
    }
  | { readonly type: 'saved'; readonly durationMs: number }
  | {
      /**
       * `open` or `restore` had to look for a session and could not give it; the store did not take what there was, and is
       * asked again; `close` gave up, and the session stays open.
       */
      readonly type: SessionFailure
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
