import type { PendingBody, PendingEvent } from '../call/events.js'
import { createEvent } from '../call/events.js'
import type { NestedItems } from '../call/nested-run.js'
import { RedactedRunMeta, type Redaction } from '../call/redaction.js'
import { peek } from '../call/tool-failure.js'
import { runItem } from '../chat/run-items.js'
import type { ChatMessage, HandoffItem, RunItem } from '../types/chat.js'
import type { ModelDelta } from '../types/planner.js'
import type { EventOrigin, RunEvent, RunPart } from '../types/run.js'

interface Reader {
  position: number
  waiting: (() => void)[]
}

/** Shared by all logs, because most logs have no readers. */
const NONE: readonly never[] = Object.freeze([])

abstract class Log<Entry, Stored = Entry> {
  protected stored: Stored[] = []
  protected readers: readonly Reader[] = NONE
  protected isClosed = false
  #follower: ((index: number) => void) | undefined

  protected append(entry: Stored): void {
    const index = this.stored.push(entry) - 1
    this.#follower?.(index)
    this.#wake()
  }

  follow(follower: ((index: number) => void) | undefined): void {
    this.#follower = follower
  }

  close(): void {
    this.isClosed = true
    this.#wake()
  }

  abstract read(index: number): Entry

  iterate(): AsyncIterableIterator<Entry> {
    const reader: Reader = { position: 0, waiting: [] }
    this.readers = [...this.readers, reader]
    const leave = (): IteratorResult<Entry> => {
      this.readers = this.readers.filter((each) => each !== reader)
      for (const wake of reader.waiting.splice(0)) wake()
      this.moved()
      return { done: true, value: undefined }
    }
    // Not an async generator: its `return` would wait until a pending `next` receives an entry.
    return {
      next: async () => {
        while (this.readers.includes(reader)) {
          if (reader.position < this.stored.length) {
            const value = this.read(reader.position)
            reader.position += 1
            this.moved()
            return { done: false, value }
          }
          if (this.isClosed) return leave()
          await new Promise<void>((resolve) => reader.waiting.push(resolve))
        }
        return { done: true, value: undefined }
      },
      return: async () => leave(),
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  protected moved(): void {}

  #wake(): void {
    if (this.readers.length === 0) return
    for (const { waiting } of this.readers) for (const wake of waiting.splice(0)) wake()
  }
}

/** If an iterator has more unread events, the run waits. */
const MAX_BEHIND = 100

export class EventLog extends Log<RunEvent, RunEvent | PendingBody> {
  // A separate array needs a quarter of the memory of one object per event.
  #times: number[] = []
  #firstSequence = 0
  #origin: EventOrigin | undefined = undefined
  #created = 0
  #waiting: readonly (() => void)[] = NONE
  #isUnbounded = false

  /** Creates event objects at the first access, because most runs end before code reads events. */
  get entries(): readonly RunEvent[] {
    for (; this.#created < this.stored.length; this.#created += 1) this.read(this.#created)
    return this.stored as RunEvent[]
  }

  /** All `PendingEvent` objects of a log must have the same `origin` (such as the run id), because the log stores only one. */
  push(event: RunEvent | PendingEvent): void {
    const { length } = this.stored
    if (length === 0) this.#firstSequence = event.sequence
    this.#times.push(event.at)
    if (!('body' in event)) this.append(event)
    // The numbers have gaps after events of nested runs.
    else if (event.sequence !== this.#firstSequence + length) this.append(createEvent(event))
    else {
      this.#origin = event.origin
      this.append(event.body)
    }
  }

  override close(): void {
    super.close()
    // The result of a run contains its event log. Without this, the result would also keep the memory of the other logs.
    this.follow(undefined)
    // Copies have no unused capacity.
    this.stored = this.stored.slice()
    this.#times = this.#times.slice()
    this.moved()
  }

  /**
   * Called when the application awaits the run. Otherwise, an application that awaits the run inside an iteration would cause a deadlock: the run
   * waits for the iterator, and the iterator waits for the run.
   */
  lift(): void {
    this.#isUnbounded = true
    this.moved()
  }

  room(): Promise<void> | undefined {
    if (this.#hasRoom()) return undefined
    return new Promise((resolve) => {
      this.#waiting = [...this.#waiting, resolve]
    })
  }

  protected override moved(): void {
    if (this.#waiting.length === 0 || !this.#hasRoom()) return
    const waiting = this.#waiting
    this.#waiting = NONE
    for (const resume of waiting) resume()
  }

  override read(index: number): RunEvent {
    const body = this.stored[index] as RunEvent | PendingBody
    if ('sequence' in body) return body
    const sequence = this.#firstSequence + index
    return createEvent({ origin: this.#origin ?? {}, body, at: this.#times[index] ?? 0, sequence })
  }

  #hasRoom(): boolean {
    if (this.#isUnbounded || this.isClosed) return true
    return this.readers.every(({ position }) => this.stored.length - position <= MAX_BEHIND)
  }
}

export class ItemLog extends Log<RunItem, ChatMessage | HandoffItem> {
  redaction: Redaction | undefined = undefined
  #early: ChatMessage[] = []
  #complete: { readonly before: readonly ChatMessage[]; readonly after: readonly ChatMessage[] } | undefined

  push(entry: ChatMessage | HandoffItem): void {
    this.append(entry)
  }

  addEarly(message: ChatMessage): void {
    this.#early.push(message)
    this.push(message)
  }

  /**
   * If `addEarly` has logged all `added` messages, `addNew` then skips the comparison of `before` and `after`, whose time is proportional to their
   * length.
   */
  completed(before: readonly ChatMessage[], after: readonly ChatMessage[], added: readonly ChatMessage[]): void {
    const early = this.#early
    if (early.length === added.length && early.every((message, index) => message === added[index]))
      this.#complete = { before, after }
  }

  /** Skips messages with the same calls or text as an earlier message, because layers can copy messages. */
  addNew(before: readonly ChatMessage[], after: readonly ChatMessage[]): void {
    const early = this.#early
    const complete = this.#complete
    this.#early = []
    this.#complete = undefined
    if (complete?.before === before && complete.after === after) return
    let kept = 0
    while (kept < before.length && before[kept] === after[kept]) kept += 1
    let added = 0
    while (kept === before.length && added < early.length && early[added] === after[kept + added]) added += 1
    if (kept + added === after.length) return
    const existing = [...before.slice(kept), ...early.slice(added)]
    const counts = new Map<string, number>()
    const count = (key: string): number => counts.get(key) ?? 0
    for (const key of existing.map(keyOf)) counts.set(key, count(key) + 1)
    for (let index = kept + added; index < after.length; index += 1) {
      const message = after[index] as ChatMessage
      const key = counts.size === 0 ? '' : keyOf(message)
      if (count(key) > 0) counts.set(key, count(key) - 1)
      else if (!existing.includes(message)) this.push(message)
    }
  }

  override read(index: number): RunItem {
    const entry = this.stored[index] as ChatMessage | HandoffItem
    if (!('role' in entry)) return entry
    const [message = entry] = this.redaction?.messages([entry], 'events') ?? []
    return runItem(message)
  }
}

export interface DeltaListener {
  readonly receive: (delta: ModelDelta) => void
  /**
   * Emits text that the listener still buffers, because the text could be the beginning of a sensitive value. Must be called after the last delta.
   */
  end(): void
}

interface ItemParent {
  readonly runId: string
  readonly nestedItems: NestedItems
}

/** Part of a run: `n` for the event with the index `n`, `-1 - n` for the item with the index `n`, or a function that returns any other part. */
type StoredPart = number | (() => RunPart)

/** Stores deltas only while code iterates over the parts. */
export class PartLog extends Log<RunPart, StoredPart> {
  readonly #events: EventLog
  readonly #items: ItemLog
  readonly #meta: object
  readonly #parent: ItemParent | undefined

  /** @param meta metadata of the run, with the sensitive values that deltas must not contain */
  constructor(events: EventLog, items: ItemLog, meta: object, parent?: ItemParent) {
    super()
    this.#events = events
    this.#items = items
    this.#meta = meta
    this.#parent = parent
    events.follow((index) => this.append(index))
    items.follow((index) => {
      this.append(-1 - index)
      parent?.nestedItems(parent.runId, () => items.read(index))
    })
  }

  addNested(runId: string, read: () => RunItem): void {
    // A call can continue after the end of its run.
    if (!this.isClosed) this.append(() => ({ kind: 'nested_item', runId, item: read() }))
    this.#parent?.nestedItems(runId, read)
  }

  deltaListener(): DeltaListener | undefined {
    if (this.readers.length === 0) return undefined
    const push = (delta: ModelDelta): void => {
      if (this.readers.length > 0) this.append(() => ({ kind: 'delta', delta }))
    }
    const redaction = RedactedRunMeta.redactionOf(this.#meta)
    if (redaction === undefined)
      return {
        receive: (delta) => {
          if (isDelta(delta)) push(delta)
        },
        end: () => undefined,
      }
    const { values, planOf } = redaction
    const planFor = (delta: ModelDelta) => (delta.type === 'arguments' ? planOf(delta.tool) : undefined)
    const texts = new Map<string, ModelDelta>()
    return {
      receive: (delta) => {
        if (!isDelta(delta)) return
        const key = delta.type === 'arguments' ? `${delta.type} ${delta.toolCallId}` : delta.type
        const received = (texts.get(key)?.text ?? '') + delta.text
        // Sensitive arguments are only known as a whole. The end of other texts can be the start of a sensitive value.
        const isWhole = planFor(delta) !== undefined
        const text = isWhole ? received : values.text(received, 'events')
        const ready = isWhole ? 0 : text.length - values.pendingLength(text)
        texts.set(key, { ...delta, text: text.slice(ready) })
        if (ready > 0) push({ ...delta, text: text.slice(0, ready) })
      },
      end: () => {
        for (const delta of texts.values()) {
          const { text } = delta
          if (text !== '') push({ ...delta, text: values.arguments(text, 'events', planFor(delta)) })
        }
      },
    }
  }

  override read(index: number): RunPart {
    const part = this.stored[index] as StoredPart
    if (typeof part !== 'number') return part()
    return part < 0
      ? { kind: 'item', item: this.#items.read(-1 - part) }
      : { kind: 'event', event: this.#events.read(part) }
  }
}

const DELTAS: readonly unknown[] = ['text', 'reasoning', 'arguments'] satisfies ModelDelta['type'][]

/** Drivers of applications can emit any value. */
function isDelta(delta: unknown): delta is ModelDelta {
  return DELTAS.includes(peek(delta, 'type')) && typeof peek(delta, 'text') === 'string'
}

function keyOf(message: ChatMessage): string {
  if (message.role === 'tool') return JSON.stringify(['tool', message.tool_call_id])
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  return JSON.stringify(calls.length === 0 ? message : calls.map(({ id }) => id))
}
