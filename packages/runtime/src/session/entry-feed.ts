import type { SessionEntry } from '../contract/session.js'
import type { SessionError } from './session-error.js'

/** One place of the list; the last one is empty until an entry comes. */
interface Place {
  filled: { readonly entry: SessionEntry; readonly next: Place } | undefined
}

/**
 * Every entry from a subscription on, for any number of subscribers. They share one list of which only they hold the
 * beginning: what all have read, or whoever has gone away without a word, is freed.
 */
export class EntryFeed {
  #last: Place = { filled: undefined }
  #waiting = new Set<() => void>()
  #ended: { readonly error: SessionError | undefined } | undefined = undefined

  push(entry: SessionEntry): void {
    const next: Place = { filled: undefined }
    this.#last.filled = { entry, next }
    this.#last = next
    this.#wakeAll()
  }

  /** Nothing follows: subscribers read to the end, or, with an error, get that and nothing else. */
  end(error?: SessionError): void {
    this.#ended ??= { error }
    this.#wakeAll()
  }

  /** Every entry from now on. */
  subscribe(): AsyncIterableIterator<SessionEntry> {
    let place: Place | undefined = this.#last
    const wakes = new Set<() => void>()
    const next = async (): Promise<IteratorResult<SessionEntry>> => {
      for (;;) {
        if (place === undefined) return { done: true, value: undefined }
        if (this.#ended?.error !== undefined) {
          place = undefined
          throw this.#ended.error
        }
        const { filled }: Place = place
        if (filled !== undefined) {
          place = filled.next
          return { done: false, value: filled.entry }
        }
        if (this.#ended !== undefined) place = undefined
        else await this.#more(wakes)
      }
    }
    return {
      next,
      return: async () => {
        place = undefined
        for (const wake of wakes) wake()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  /** Resolves when there is more, or the subscriber goes. */
  #more(ofSubscriber: Set<() => void>): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake)
        ofSubscriber.delete(wake)
        resolve()
      }
      this.#waiting.add(wake)
      ofSubscriber.add(wake)
    })
  }

  #wakeAll(): void {
    if (this.#waiting.size > 0) for (const wake of [...this.#waiting]) wake()
  }
}
