/** Which of so many values in their order is the percentile that so many per cent of all do not exceed; 1 is the first. */
export function nearestRank(percent: number, count: number): number {
  return Math.max(1, Math.ceil((percent * count) / 100))
}
