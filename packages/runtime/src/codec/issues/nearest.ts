// Names beyond this length are compared for equality only, so that a hostile name costs nothing.
const longestCompared = 100

/**
 * The candidates that `name` may have meant, nearest first, at most `max`. Case and separators do not count
 * (`order_id` is `orderId`); otherwise up to a third of the letters may differ, or one name may end or begin with the
 * other (`id`, `orderId`). Equally near ones stay in the given order.
 */
export function nearestNames(name: string, candidates: readonly string[], max: number): readonly string[] {
  const wanted = plain(name)
  const ranked: { candidate: string; distance: number }[] = []
  for (const candidate of candidates) {
    const distance = candidate === name ? -1 : distanceOf(wanted, plain(candidate))
    if (distance !== undefined) ranked.push({ candidate, distance })
  }
  ranked.sort((a, b) => a.distance - b.distance)
  return ranked.slice(0, max).map(({ candidate }) => candidate)
}

/** Lower case without separators: what two spellings of one name share. */
function plain(name: string): string {
  return name.length > longestCompared ? name : name.replace(/[\s_.\-/:]+/g, '').toLowerCase()
}

/** How far two plain names are apart; `undefined`: too far to be meant. */
function distanceOf(a: string, b: string): number | undefined {
  if (a === b) return 0
  if (Math.max(a.length, b.length) > longestCompared || a === '' || b === '') return undefined
  const allowed = Math.max(1, Math.floor(Math.max(a.length, b.length) / 3))
  if (Math.min(a.length, b.length) > 1 && Math.abs(a.length - b.length) <= allowed) {
    const edits = editDistance(a, b)
    if (edits <= allowed) return edits
  }
  const [short, long] = a.length < b.length ? [a, b] : [b, a]
  return short.length > 1 && (long.startsWith(short) || long.endsWith(short)) ? longestCompared : undefined
}

/** Insertions, deletions, replacements and swaps of neighbours that turn one text into the other. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1)
      }
      row.push(best)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
