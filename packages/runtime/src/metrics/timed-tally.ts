import type { TimedFigures } from '../contract/metrics.js'
import { LatencyHistogram } from './latency-histogram.js'

/** Counts what takes its time. */
export class TimedTally {
  readonly #latency = new LatencyHistogram()
  #count = 0

  record(durationMs: number): void {
    this.#count += 1
    this.#latency.record(durationMs)
  }

  figures(): TimedFigures {
    const latencyMs = this.#latency.figures()
    return latencyMs === undefined ? { count: this.#count } : { count: this.#count, latencyMs }
  }
}
