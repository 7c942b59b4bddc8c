/**
 * Insertions, deletions, replacements and swaps of neighbours that turn one text into the other; `undefined`: more than
 * `most`. Looks only at what can stay within `most`.
 */
export function boundedEdits(a: string, b: string, most: number): number | undefined {
  if (Math.abs(a.length - b.length) > most) return undefined
  const beyond = most + 1
  let beforeLast = new Array<number>(b.length + 1).fill(beyond)
  let last = Array.from(beforeLast, (_, index) => Math.min(index, beyond))
  let row = [...beforeLast]
  let leastOfLast = 0
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most)
    const to = Math.min(b.length, i + most)
    row[from - 1] = from === 1 ? Math.min(i, beyond) : beyond
    let least = row[from - 1] ?? beyond
    for (let j = from; j <= to; j++) {
      const replaced = (last[j - 1] ?? beyond) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min(replaced, (last[j] ?? beyond) + 1, (row[j - 1] ?? beyond) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? beyond) + 1)
      }
      row[j] = best
      least = Math.min(least, best)
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
