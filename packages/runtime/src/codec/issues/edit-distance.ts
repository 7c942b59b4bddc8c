/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one text into the other; `undefined`: more than
 * `most`. Looks only at what can stay within `most`.
 */
export function boundedEdits(a: string, b: string, most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined
  const beyond = most + 1
  let beforeLast: number[] = []
  let last: number[] = []
  let row: number[] = []
  for (let index = 0; index <= b.length; index++) {
    beforeLast.push(beyond)
    last.push(Math.min(index, beyond))
    row.push(beyond)
  }
  let leastOfLast = 0
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most)
    const to = Math.min(b.length, i + most)
    const unit = a.charCodeAt(i - 1)
    let before = from === 1 ? Math.min(i, beyond) : beyond
    row[from - 1] = before
    let least = before
    for (let j = from; j <= to; j++) {
      let best = (last[j - 1] ?? beyond) + (unit === b.charCodeAt(j - 1) ? 0 : 1)
      const removed = (last[j] ?? beyond) + 1
      if (removed < best) best = removed
      if (before + 1 < best) best = before + 1
      if (i > 1 && j > 1 && unit === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1)) {
        best = Math.min(best, (beforeLast[j - 2] ?? beyond) + 1)
      }
      row[j] = best
      before = best
      if (best < least) least = best
    }
    if (to < b.length) row[to + 1] = beyond
    // A swap reaches back two rows.
    if (least > most && leastOfLast > most) return undefined
    leastOfLast = least
    const free = beforeLast
    beforeLast = last
    last = row
    row = free
  }
  const edits = last[b.length] ?? beyond
  return edits > most ? undefined : edits
}
