import type { RunEvent } from '../contract/event.js'
import { type EventNote, notedEvent } from './event-note.js'

/** How many events an iterator may be behind before the run waits for it. */
const ROOM = 100

/** A reader of the log. */
interface Reader {
  /** The index of the event that it reads next. */
  position: number
  /** Wakes the reader; present while it waits. */
  wake: (() => void) | undefined
}

/**
 * All events of a run in order, for any number of iterators, each from the first event on. A run waits while an iterator
 * is more than 100 events behind, unless somebody waits for the run itself.
 */
export class EventLog {
  readonly #events: RunEvent[] = []
  /** What happened after the events. */
  #notes: EventNote[] = []
  #readers: readonly Reader[] = []
  #waiting: (() => void)[] = []
  #closed = false
  #unbounded = false

  /** The events so far. They are made when somebody asks for them: most runs are over before anybody does. */
  get events(): readonly RunEvent[] {
    this.#makeEvents()
    return this.#events
  }

  push(event: RunEvent): void {
    this.#makeEvents()
    this.#events.push(event)
    this.#wakeReaders()
  }

  /** Something happened whose event is to be made when somebody asks for it. */
  note(note: EventNote): void {
    this.#notes.push(note)
    this.#wakeReaders()
  }

  /** Nothing follows: iterators end when they have read everything. */
  close(): void {
    this.#closed = true
    this.#wakeReaders()
    this.#letGo()
  }

  /** From now on the run does not wait for iterators: who awaits the run may be one of their loops. */
  lift(): void {
    this.#unbounded = true
    this.#letGo()
  }

  /** Resolves when every iterator has room; `undefined` where all have. */
  room(): Promise<void> | undefined {
    if (this.#hasRoom()) return undefined
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }

  /** Every event from the first on. */
  iterate(): AsyncIterableIterator<RunEvent> {
    const reader: Reader = { position: 0, wake: undefined }
    this.#readers = [...this.#readers, reader]
    const leave = (): IteratorResult<RunEvent> => {
      this.#readers = this.#readers.filter((each) => each !== reader)
      reader.wake?.()
      this.#letGo()
      return { done: true, value: undefined }
    }
    return {
      next: async () => {
        for (;;) {
          if (!this.#readers.includes(reader)) return { done: true, value: undefined }
          const event = this.events[reader.position]
          if (event !== undefined) {
            reader.position += 1
            this.#letGo()
            return { done: false, value: event }
          }
          if (this.#closed) return leave()
          await new Promise<void>((resolve) => {
            const before = reader.wake
            reader.wake = () => {
              before?.()
              resolve()
            }
          })
        }
      },
      return: async () => leave(),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  #makeEvents(): void {
    if (this.#notes.length === 0) return
    for (const note of this.#notes) this.#events.push(notedEvent(note))
    this.#notes = []
  }

  #hasRoom(): boolean {
    if (this.#unbounded || this.#closed) return true
    const length = this.#events.length + this.#notes.length
    return this.#readers.every(({ position }) => length - position <= ROOM)
  }

  #letGo(): void {
    if (this.#waiting.length === 0 || !this.#hasRoom()) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const go of waiting) go()
  }

  #wakeReaders(): void {
    for (const reader of this.#readers) {
      const { wake } = reader
      reader.wake = undefined
      wake?.()
    }
  }
}
