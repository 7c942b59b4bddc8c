import type { SpreadFigures } from '../contract/metrics.js'
import { nearestRank } from './nearest-rank.js'

/** How values are spread. */
export function spread(values: readonly number[]): SpreadFigures {
  const sorted = [...values].sort((one, other) => one - other)
  const percentile = (percent: number): number => sorted[nearestRank(percent, sorted.length) - 1] ?? 0
  return {
    total: sorted.reduce((sum, value) => sum + value, 0),
    p50: percentile(50),
    p95: percentile(95),
    p99: percentile(99),
    max: sorted.at(-1) ?? 0,
  }
}
