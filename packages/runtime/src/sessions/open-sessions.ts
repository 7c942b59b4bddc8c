import { ignoreErrors } from '../call/telemetry.js'
import type { Effects } from '../types/call-options.js'
import type { SessionEvent, SessionEventSink } from '../types/session.js'
import { SessionError } from './session-types.js'

/** The longest id, in UTF-16 units. */
const LONGEST = 256

/**
 * Checks an id that a caller gives.
 *
 * @throws {SessionError} `invalid_id`.
 */
export function requireId(name: 'session id' | 'user id', id: unknown): void {
  const fault = faultOf(id)
  if (fault === undefined) return
  throw new SessionError(
    'invalid_id',
    `The ${name} ${fault}. Give the one of your own records, 1 to ${LONGEST} characters; never one that a model made up.`,
  )
}

function faultOf(id: unknown): string | undefined {
  if (typeof id !== 'string') return 'is no text'
  if (id === '') return 'is empty'
  if (id.length > LONGEST) return `has ${id.length} characters`
  // Neither can be stored everywhere.
  if (/\p{Cc}|\p{Cs}/u.test(id)) return 'holds control characters or half of a character'
  return undefined
}

/** An event without what all events say. */
type Body<Event> = Event extends unknown ? Omit<Event, 'sessionId' | 'at'> : never

/** Tells of what becomes of the sessions of one registry. */
export class SessionNews {
  readonly #effects: Pick<Effects, 'now'>
  #sinks: readonly SessionEventSink[]

  constructor(effects: Pick<Effects, 'now'>, sink: SessionEventSink | undefined) {
    this.#effects = effects
    this.#sinks = sink === undefined ? [] : [sink]
  }

  /** Tells another one from now on. @returns ends that */
  subscribe(sink: SessionEventSink): () => void {
    // A function of its own: who subscribes twice is told twice, and each end ends one.
    const told: SessionEventSink = (event) => sink(event)
    this.#sinks = [...this.#sinks, told]
    return () => {
      this.#sinks = this.#sinks.filter((each) => each !== told)
    }
  }

  /** Never throws. */
  tell(sessionId: string, body: Body<SessionEvent>): void {
    const sinks = this.#sinks
    if (sinks.length === 0) return
    ignoreErrors(() => {
      const event = Object.freeze({ sessionId, at: this.#effects.now(), ...body })
      for (const sink of sinks) ignoreErrors(() => sink(event))
    })
  }

  /** Tells how a save has ended. Rejects with what the save rejects with. */
  ofSave(sessionId: string, save: () => Promise<void>): Promise<void> {
    if (this.#sinks.length === 0) return save()
    return this.ofFailure(sessionId, 'save_failed', async (elapsed) => {
      await save()
      this.tell(sessionId, { type: 'saved', durationMs: elapsed() })
    })
  }

  /** Tells where work fails. Rejects with what the work rejects with; that is given what tells its time so far. */
  async ofFailure<Value>(
    sessionId: string,
    type: Extract<SessionEvent, { readonly error: Error }>['type'],
    work: (elapsed: () => number) => Promise<Value>,
  ): Promise<Value> {
    const elapsed = this.#timer()
    try {
      return await work(elapsed)
    } catch (error) {
      if (error instanceof Error) this.tell(sessionId, { type, error, durationMs: elapsed() })
      throw error
    }
  }

  /** Tells how many milliseconds have passed. */
  #timer(): () => number {
    const began = this.#effects.now()
    return () => Math.max(0, this.#effects.now() - began)
  }
}
