import type { FailureCounts } from '../contract/metrics.js'

/** Counts failures by why. */
export class FailureTally<Why extends string = string> {
  readonly #counts = new Map<Why, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  count(why: Why): void {
    this.#total += 1
    this.#counts.set(why, (this.#counts.get(why) ?? 0) + 1)
  }

  figures(): FailureCounts<Why> {
    const counts: { [Each in Why]?: number } = {}
    for (const [why, count] of this.#counts) counts[why] = count
    return counts
  }
}
