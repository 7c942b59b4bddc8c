import { after } from '../call/timers.js'
import type { SessionJournal } from './journal.js'
import type { Session } from './session.js'
import type { SessionCalls } from './session-calls.js'
import type { SessionError } from './session-types.js'

/** A session that is open, and what does its work. */
export interface OpenSession {
  readonly session: Session
  readonly calls: SessionCalls
  readonly journal: SessionJournal
}

/** What goes on under one session id. */
interface Slot {
  /** The session, once it is there. */
  open: OpenSession | undefined
  /** What has to be waited for; absent where the session is simply open. */
  busy: Promise<unknown> | undefined
  /** The close that is under way. */
  closing: Promise<void> | undefined
}

/** How a session is closed. */
export interface Closing {
  readonly close: (open: OpenSession) => Promise<void>
  /** Done where a close is under way already. */
  readonly hasten: (open: OpenSession) => void
  readonly unknown: () => SessionError
  /** How long a session that is just being opened is waited for, in milliseconds, and what is said then. */
  readonly limitMs: number
  readonly stuck: () => SessionError
}

/** The open sessions of a registry, by id. Under one id, one thing happens at a time. */
export class SessionSlots {
  readonly #byId = new Map<string, Slot>()

  get ids(): readonly string[] {
    return [...this.#byId.keys()]
  }

  /** The sessions that are open. */
  get open(): readonly OpenSession[] {
    return [...this.#byId.values()].map(({ open }) => open).filter((open) => open !== undefined)
  }

  /**
   * Acts when nothing is under way for this id any more; whatever `act` begins, begins at once.
   *
   * @param act is given the session where one is open
   */
  async whenFree<Value>(id: string, act: (open: OpenSession | undefined) => Promise<Value>): Promise<Value> {
    for (;;) {
      const slot = this.#byId.get(id)
      if (slot?.busy === undefined) return act(slot?.open)
      await slot.busy.catch(() => undefined)
    }
  }

  /** Occupies a free id with work: a session comes of it, or the id is free again. */
  occupy<Opened extends OpenSession | undefined>(id: string, work: () => Promise<Opened>): Promise<Opened> {
    const slot: Slot = { open: undefined, busy: undefined, closing: undefined }
    this.#byId.set(id, slot)
    const busy = work().then(
      (opened) => {
        slot.busy = undefined
        slot.open = opened
        if (opened === undefined) this.#remove(id, slot)
        return opened
      },
      (error) => {
        this.#remove(id, slot)
        throw error
      },
    )
    slot.busy = busy
    return busy
  }

  /**
   * Closes what is open under an id. Whoever asks while that is under way gets the same promise.
   *
   * @returns rejects, and the session stays, where `close` does; rejects with what `unknown` makes where there is none
   */
  close(id: string, how: Closing): Promise<void> {
    const { close, hasten, unknown, limitMs, stuck } = how
    const slot = this.#byId.get(id)
    if (slot === undefined) return Promise.reject(unknown())
    const { open, busy, closing } = slot
    if (closing !== undefined) {
      if (open !== undefined) hasten(open)
      return closing
    }
    if (open === undefined) {
      const again = (): Promise<void> => this.close(id, how)
      return within(limitMs, Promise.resolve(busy), stuck).then(again)
    }
    const closed = close(open).then(
      () => this.#remove(id, slot),
      (error) => {
        slot.busy = undefined
        slot.closing = undefined
        throw error
      },
    )
    slot.busy = closed
    slot.closing = closed
    return closed
  }

  /** A session is gone. */
  remove(id: string, session: Session): void {
    const slot = this.#byId.get(id)
    if (slot?.open?.session === session) this.#remove(id, slot)
  }

  #remove(id: string, slot: Slot): void {
    if (this.#byId.get(id) === slot) this.#byId.delete(id)
  }
}

/** Resolves when something is over, however it ended; rejects where that takes longer. */
function within(limitMs: number, work: Promise<unknown>, late: () => SessionError): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopTimer = after(limitMs, () => reject(late()))
    const over = (): void => {
      stopTimer()
      resolve()
    }
    work.then(over, over)
  })
}
