import { after } from '../call/timers.js'

const FIRST_REST_MS = 100
const LONGEST_REST_MS = 30_000

/**
 * A listener usually requests the tool list, and some servers report another change at each such request. Three rules prevent an endless loop.
 * Listeners are not notified while this client requests the tool list. All changes during such a request cause one notification. While changes
 * continue, the pause between two notifications doubles each time.
 */
export class ToolChanges {
  readonly #listeners = new Set<() => void>()
  #lists = 0
  #restMs = FIRST_REST_MS
  #endRest: (() => void) | undefined
  #isPending = false

  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(): void {
    this.#isPending = true
    this.#notifyIfDue()
  }

  async during<List>(list: Promise<List>): Promise<List> {
    this.#lists += 1
    try {
      return await list
    } finally {
      this.#lists -= 1
      this.#notifyIfDue()
    }
  }

  close(): void {
    this.#endRest?.()
    this.#listeners.clear()
  }

  #notifyIfDue(): void {
    if (!this.#isPending || this.#lists > 0 || this.#endRest !== undefined || this.#listeners.size === 0) return
    this.#isPending = false
    this.#endRest = after(this.#restMs, () => {
      this.#endRest = undefined
      if (!this.#isPending && this.#lists === 0) this.#restMs = FIRST_REST_MS
      this.#notifyIfDue()
    })
    this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS)
    for (const listener of [...this.#listeners]) listener()
  }
}
