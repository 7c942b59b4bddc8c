import { after } from '../time/long-timer.js'

/** How long nothing is told after something was, in milliseconds: at first, and for a server that does not stop. */
const FIRST_REST_MS = 100
const LONGEST_REST_MS = 30_000

/**
 * Tells listeners that a server's tools have changed. Who hears it lists the tools, and a server may announce a change whenever
 * it is asked for them: nothing is told while a list is under way, however much is announced it is told once more, and the
 * rest after that doubles as long as announcements go on.
 */
export class ToolChanges {
  readonly #listeners = new Set<() => void>()
  #lists = 0
  #restMs = FIRST_REST_MS
  #endRest: (() => void) | undefined
  #isOwed = false

  add(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  announce(): void {
    this.#isOwed = true
    this.#tellIfDue()
  }

  /** Waits for a list, and tells nothing until then. */
  async during<List>(list: Promise<List>): Promise<List> {
    this.#lists += 1
    try {
      return await list
    } finally {
      this.#lists -= 1
      this.#tellIfDue()
    }
  }

  /** Nothing is told any more. */
  close(): void {
    this.#endRest?.()
    this.#listeners.clear()
  }

  #tellIfDue(): void {
    if (!this.#isOwed || this.#lists > 0 || this.#endRest !== undefined || this.#listeners.size === 0) return
    this.#isOwed = false
    this.#endRest = after(this.#restMs, () => this.#rested())
    this.#restMs = Math.min(2 * this.#restMs, LONGEST_REST_MS)
    for (const listener of [...this.#listeners]) listener()
  }

  #rested(): void {
    this.#endRest = undefined
    if (!this.#isOwed && this.#lists === 0) this.#restMs = FIRST_REST_MS
    this.#tellIfDue()
  }
}
