import type { LatencyFigures } from '../contract/metrics.js'
import { nearestRank } from './nearest-rank.js'

/** How far a percentile may be off, as a part of it. */
const RELATIVE_ERROR = 0.02

/** What is told apart, in milliseconds. */
const RANGE = { shortest: 0.001, longest: 86_400_000 }

/** Each bucket reaches so many times further than the one before. */
const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
const BUCKETS_PER_E = 1 / Math.log(GROWTH)
const LAST = bucketOf(RANGE.longest)

/**
 * Counts times in buckets of growing width: bucket 0 holds what is shorter than a microsecond, each further one times of
 * which none is more than 2 % off the middle. Takes up 5 KB, however many are counted.
 */
export class LatencyHistogram {
  readonly #buckets = new Float64Array(LAST + 1)
  #count = 0
  #sum = 0
  #shortest = RANGE.longest
  #longest = 0

  /** Counts one time. One that is no number from 0 on, as a broken clock gives, counts as 0. */
  record(durationMs: number): void {
    const time = durationMs > 0 ? Math.min(durationMs, RANGE.longest) : 0
    const bucket = bucketOf(time)
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1
    this.#count += 1
    this.#sum += time
    if (time < this.#shortest) this.#shortest = time
    if (time > this.#longest) this.#longest = time
  }

  /** `undefined` where nothing was counted. */
  figures(): LatencyFigures | undefined {
    if (this.#count === 0) return undefined
    const [p50, p95, p99] = [this.#percentile(50), this.#percentile(95), this.#percentile(99)]
    return { mean: this.#sum / this.#count, p50, p95, p99, max: this.#longest }
  }

  #percentile(percent: number): number {
    const rank = nearestRank(percent, this.#count)
    let below = 0
    const bucket = this.#buckets.findIndex((count) => {
      below += count
      return below >= rank
    })
    return Math.min(Math.max(middleOf(bucket), this.#shortest), this.#longest)
  }
}

function bucketOf(time: number): number {
  return time < RANGE.shortest ? 0 : 1 + Math.floor(Math.log(time / RANGE.shortest) * BUCKETS_PER_E)
}

/** As far from the bucket's beginning as from its end, each as a part of itself. */
function middleOf(bucket: number): number {
  return bucket === 0 ? 0 : RANGE.shortest * GROWTH ** (bucket - 1) * (1 + RELATIVE_ERROR)
}
