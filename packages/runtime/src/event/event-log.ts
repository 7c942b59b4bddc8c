import type { RunEvent } from '../contract/event.js'
import { type EventNote, notedEvent } from './event-note.js'
import { Log } from './log.js'

/** How many events an iterator may be behind before the run waits for it. */
const ROOM = 100

/**
 * All events of a run in order, for any number of iterators, each from the first event on. A run waits while an iterator
 * is more than 100 events behind, unless somebody waits for the run itself.
 */
export class EventLog extends Log<RunEvent> {
  /** What happened after the events. */
  #notes: EventNote[] = []
  #waiting: (() => void)[] = []
  #unbounded = false

  /** The events so far. They are made when somebody asks for them: most runs are over before anybody does. */
  override get entries(): readonly RunEvent[] {
    this.#makeEvents()
    return this.pushed
  }

  override push(event: RunEvent): void {
    this.#makeEvents()
    super.push(event)
  }

  /** Something happened whose event is to be made when somebody asks for it. */
  note(note: EventNote): void {
    this.#notes.push(note)
    this.wakeReaders()
  }

  override close(): void {
    super.close()
    this.moved()
  }

  /** From now on the run does not wait for iterators: who awaits the run may be one of their loops. */
  lift(): void {
    this.#unbounded = true
    this.moved()
  }

  /** Resolves when every iterator has room; `undefined` where all have. */
  room(): Promise<void> | undefined {
    if (this.#hasRoom()) return undefined
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  protected override moved(): void {
    if (this.#waiting.length === 0 || !this.#hasRoom()) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }

  #makeEvents(): void {
    if (this.#notes.length === 0) return
    for (const note of this.#notes) this.pushed.push(notedEvent(note))
    this.#notes = []
  }

  #hasRoom(): boolean {
    if (this.#unbounded || this.isClosed) return true
    const length = this.pushed.length + this.#notes.length
    return this.readers.every(({ position }) => length - position <= ROOM)
  }
}
