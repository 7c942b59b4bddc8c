import type { Effects } from '../contract/effects.js'
import type { SessionEvent, SessionEventSink } from '../contract/session-event.js'
import { unheard } from '../event/unheard.js'

/** An event without what all events say. */
type Body<Event> = Event extends unknown ? Omit<Event, 'sessionId' | 'at'> : never

/** Tells of what becomes of the sessions of one registry. */
export class SessionNews {
  readonly #effects: Pick<Effects, 'now'>
  readonly #sink: SessionEventSink | undefined

  constructor(effects: Pick<Effects, 'now'>, sink: SessionEventSink | undefined) {
    this.#effects = effects
    this.#sink = sink
  }

  /** Never throws. */
  tell(sessionId: string, body: Body<SessionEvent>): void {
    const sink = this.#sink
    if (sink === undefined) return
    unheard(() => sink(Object.freeze({ sessionId, at: this.#effects.now(), ...body })))
  }

  /** Tells how a save has ended. Rejects with what the save rejects with. */
  async ofSave(sessionId: string, save: () => Promise<void>): Promise<void> {
    if (this.#sink === undefined) return save()
    const elapsed = this.timer()
    try {
      await save()
    } catch (error) {
      if (error instanceof Error) this.tell(sessionId, { type: 'save_failed', error, durationMs: elapsed() })
      throw error
    }
    this.tell(sessionId, { type: 'saved', durationMs: elapsed() })
  }

  /** Tells how many milliseconds have passed. */
  timer(): () => number {
    const began = this.#effects.now()
    return () => Math.max(0, this.#effects.now() - began)
  }
}
