import type { RunEvent } from '../contract/event.js'

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
  readonly #readers = new Set<Reader>()
  #waiting: (() => void)[] = []
  #closed = false
  #unbounded = false

  /** The events so far. */
  get events(): readonly RunEvent[] {
    return this.#events
  }

  push(event: RunEvent): void {
    this.#events.push(event)
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
    this.#readers.add(reader)
    const leave = (): IteratorResult<RunEvent> => {
      this.#readers.delete(reader)
      reader.wake?.()
      this.#letGo()
      return { done: true, value: undefined }
    }
    return {
      next: async () => {
        for (;;) {
          if (!this.#readers.has(reader)) return { done: true, value: undefined }
          const event = this.#events[reader.position]
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

  #hasRoom(): boolean {
    if (this.#unbounded || this.#closed) return true
    for (const { position } of this.#readers) if (this.#events.length - position > ROOM) return false
    return true
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
