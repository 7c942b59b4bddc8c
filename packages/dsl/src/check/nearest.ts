/** The candidate that differs least from what was written, where it differs little enough to be meant. */
export function nearestName(written: string, candidates: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(written.length / 3))
  let nearest: string | undefined
  let least = limit + 1
  for (const candidate of candidates) {
    // The lengths alone tell when a name is too far away, so that a huge name costs nothing.
    if (Math.abs(candidate.length - written.length) > limit) continue
    const distance = editDistance(written.toLowerCase(), candidate.toLowerCase())
    if (distance < least) {
      least = distance
      nearest = candidate
    }
  }
  return nearest
}

/** Levenshtein distance, in UTF-16 units. */
function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[to.length] ?? from.length
}
