import { runItem } from '../chat/run-items.js'
import type { ChatMessage } from '../contract/chat-message.js'
import type { HandoffItem, RunItem } from '../contract/run-item.js'
import { Log } from '../event/log.js'

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
