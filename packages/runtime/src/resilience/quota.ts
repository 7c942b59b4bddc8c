import { RateLimiter } from 'limiter'
import { sleep } from '../time/sleep.js'
import { WaitingLine } from './waiting-line.js'

/** So many calls in a time. `limiter` counts them; who may wait does so in line, with a signal. */
export class Quota {
  readonly #limiter: RateLimiter
  readonly #calls: number
  readonly #perMs: number
  readonly #line = new WaitingLine()
  /** Whether somebody has come to the head of the line and waits for time to pass. */
  #headed = false

  constructor(calls: number, perMs: number) {
    this.#limiter = new RateLimiter({ tokensPerInterval: calls, interval: perMs })
    this.#calls = calls
    this.#perMs = perMs
  }

  /**
   * Takes one call of the quota.
   *
   * @returns `taken`; `cancelled` when the signal was aborted first; or in how many milliseconds there is one, where that
   * is more than `maxWaitMs`
   */
  async take(signal: AbortSignal, maxWaitMs: number): Promise<'taken' | 'cancelled' | number> {
    if (signal.aborted) return 'cancelled'
    if (!this.#headed && this.#limiter.tryRemoveTokens(1)) return 'taken'
    const waitMs = this.#waitMs()
    if (waitMs > maxWaitMs) return waitMs
    if (this.#headed && (await this.#line.wait(signal, () => true)) === undefined) return 'cancelled'
    this.#headed = true
    try {
      return (await this.#atHead(signal)) ? 'taken' : 'cancelled'
    } finally {
      this.#headed = this.#line.callNext()
    }
  }

  async #atHead(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (this.#limiter.tryRemoveTokens(1)) return true
      await sleep(Math.max(1, this.#limiter.getWaitTime(1)), signal)
    }
    return false
  }

  /** When it would be the turn of one who comes now, in milliseconds, at least 1. */
  #waitMs(): number {
    const ahead = this.#line.length + (this.#headed ? 1 : 0)
    const rounds = Math.floor(ahead / this.#calls)
    return Math.max(1, rounds * this.#perMs + this.#limiter.getWaitTime((ahead % this.#calls) + 1))
  }
}
