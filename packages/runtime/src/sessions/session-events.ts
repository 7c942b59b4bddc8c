import { ignoreErrors } from '../call/telemetry.js'
import type { Effects } from '../types/call-options.js'
import type { SessionEvent, SessionEventSink } from '../types/session.js'

type EventBody<Event> = Event extends unknown ? Omit<Event, 'sessionId' | 'at'> : never

export class SessionEvents {
  readonly #effects: Pick<Effects, 'now'>
  #sinks: readonly SessionEventSink[]

  constructor(effects: Pick<Effects, 'now'>, sink: SessionEventSink | undefined) {
    this.#effects = effects
    this.#sinks = sink === undefined ? [] : [sink]
  }

  subscribe(sink: SessionEventSink): () => void {
    // Wraps the sink in a new function, so that a sink can be added twice.
    const own: SessionEventSink = (event) => sink(event)
    this.#sinks = [...this.#sinks, own]
    return () => {
      this.#sinks = this.#sinks.filter((each) => each !== own)
    }
  }

  /** Sends an event to all listeners. Never throws. */
  emit(sessionId: string, body: EventBody<SessionEvent>): void {
    const sinks = this.#sinks
    if (sinks.length === 0) return
    ignoreErrors(() => {
      const event = Object.freeze({ sessionId, at: this.#effects.now(), ...body })
      for (const sink of sinks) ignoreErrors(() => sink(event))
    })
  }

  aroundSave(sessionId: string, save: () => Promise<void>): Promise<void> {
    if (this.#sinks.length === 0) return save()
    return this.onFailure(sessionId, 'save_failed', async (elapsedMs) => {
      await save()
      this.emit(sessionId, { type: 'saved', durationMs: elapsedMs() })
    })
  }

  async onFailure<Value>(
    sessionId: string,
    type: Extract<SessionEvent, { readonly error: Error }>['type'],
    work: (elapsedMs: () => number) => Promise<Value>,
  ): Promise<Value> {
    const startedAt = this.#effects.now()
    const elapsedMs = (): number => Math.max(0, this.#effects.now() - startedAt)
    try {
      return await work(elapsedMs)
    } catch (error) {
      if (error instanceof Error) this.emit(sessionId, { type, error, durationMs: elapsedMs() })
      throw error
    }
  }
}
