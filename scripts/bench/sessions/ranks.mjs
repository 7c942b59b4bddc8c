/** Returns the 50th, 95th and 99th percentile (nearest rank), or `undefined` without values. */
export function ranks(values) {
  const sorted = Float64Array.from(values).sort()
  const rank = (percent) => sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]
  return { p50: rank(50), p95: rank(95), p99: rank(99) }
}

/** Returns the median, or `undefined` without values. */
export function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]
}
