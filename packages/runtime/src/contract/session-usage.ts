import type { SessionEventSink } from './session-event.js'

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
