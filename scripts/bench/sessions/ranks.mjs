/** The values that 50, 95 and 99 of 100 do not exceed; `undefined` of none. */
export function ranks(values) {
  const sorted = Float64Array.from(values).sort()
  const rank = (percent) => sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)]
  return { p50: rank(50), p95: rank(95), p99: rank(99) }
}

/** The middle of what several rounds gave; `undefined` of none. */
export function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]
}
