import { createEvent, type PendingEvent } from '../call/events.js'
import { runItem } from '../chat/run-items.js'
import type { ChatMessage, HandoffItem, RunItem } from '../types/chat.js'
import type { RunEvent } from '../types/run.js'

/** A reader of a log. */
interface Reader {
  /** The index of the entry that it reads next. */
  position: number
  /** Wakes the reader; present while it waits. */
  wake: (() => void) | undefined
}

/** Entries in order, for any number of iterators, each from the first entry on. */
class Log<Entry> {
  protected readonly pushed: Entry[] = []
  protected readers: readonly Reader[] = []
  protected isClosed = false

  /** The entries so far. */
  get entries(): readonly Entry[] {
    return this.pushed
  }

  push(entry: Entry): void {
    this.pushed.push(entry)
    this.wakeReaders()
  }

  /** Nothing follows: iterators end when they have read everything. */
  close(): void {
    this.isClosed = true
    this.wakeReaders()
  }

  /** Every entry from the first on. */
  iterate(): AsyncIterableIterator<Entry> {
    const reader: Reader = { position: 0, wake: undefined }
    this.readers = [...this.readers, reader]
    const leave = (): IteratorResult<Entry> => {
      this.readers = this.readers.filter((each) => each !== reader)
      reader.wake?.()
      this.moved()
      return { done: true, value: undefined }
    }
    return {
      next: async () => {
        for (;;) {
          if (!this.readers.includes(reader)) return { done: true, value: undefined }
          const { entries } = this
          if (reader.position < entries.length) {
            const value = entries[reader.position] as Entry
            reader.position += 1
            this.moved()
            return { done: false, value }
          }
          if (this.isClosed) return leave()
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

  /** A reader has read an entry or has left. */
  protected moved(): void {}

  protected wakeReaders(): void {
    for (const reader of this.readers) {
      const { wake } = reader
      reader.wake = undefined
      wake?.()
    }
  }
}

/** How many events an iterator may be behind before the run waits for it. */
const ROOM = 100

/**
 * All events of a run in order, for any number of iterators, each from the first event on. A run waits while an iterator
 * is more than 100 events behind, unless somebody waits for the run itself.
 */
export class EventLog extends Log<RunEvent> {
  /** What happened after the events. */
  #notes: PendingEvent[] = []
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
  note(note: PendingEvent): void {
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
    for (const note of this.#notes) this.pushed.push(createEvent(note))
    this.#notes = []
  }

  #hasRoom(): boolean {
    if (this.#unbounded || this.isClosed) return true
    const length = this.pushed.length + this.#notes.length
    return this.readers.every(({ position }) => length - position <= ROOM)
  }
}

/** Items of a run in the order in which they appear. */
export class ItemLog {
  readonly #log = new Log<ChatMessage | HandoffItem>()
  /** Messages of the step under way that were added before its end. */
  #early: ChatMessage[] = []

  /** Adds a message of the step under way. */
  addEarly(message: ChatMessage): void {
    this.#early.push(message)
    this.#log.push(message)
  }

  addHandoff(item: HandoffItem): void {
    this.#log.push(item)
  }

  /**
   * Adds the messages that are new in a conversation.
   *
   * @param before the conversation before the step
   */
  addNew(before: readonly ChatMessage[], after: readonly ChatMessage[]): void {
    let kept = 0
    while (kept < before.length && before[kept] === after[kept]) kept += 1
    const known = new Known([...before.slice(kept), ...this.#early])
    this.#early = []
    for (const message of after.slice(kept)) if (!known.take(message)) this.#log.push(message)
  }

  close(): void {
    this.#log.close()
  }

  /** Every item from the first on. */
  async *iterate(): AsyncGenerator<RunItem, void, undefined> {
    for await (const entry of this.#log.iterate()) yield 'kind' in entry && isHandoff(entry) ? entry : runItem(entry)
  }
}

function isHandoff(entry: ChatMessage | HandoffItem): entry is HandoffItem {
  return !('role' in entry)
}

/** Messages of which each is known once: as itself, by its calls, or by its text where a layer has copied it. */
class Known {
  readonly #messages: ReadonlySet<ChatMessage>
  readonly #counts = new Map<string, number>()

  constructor(messages: readonly ChatMessage[]) {
    this.#messages = new Set(messages)
    for (const message of messages) this.#count(keyOf(message), 1)
  }

  /** Returns whether the message is known; a copy is known as often as there are originals. */
  take(message: ChatMessage): boolean {
    const key = this.#messages.size === 0 ? '' : keyOf(message)
    if ((this.#counts.get(key) ?? 0) === 0) return this.#messages.has(message)
    this.#count(key, -1)
    return true
  }

  #count(key: string, more: number): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + more)
  }
}

function keyOf(message: ChatMessage): string {
  if (message.role === 'tool') return JSON.stringify(['tool', message.tool_call_id])
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  return JSON.stringify(calls.length === 0 ? message : calls.map(({ id }) => id))
}
