import { byCodePoint } from '../text/by-code-point.js'

/** Names longer than this are compared by their beginnings alone. */
const longestCompared = 64

/**
 * The names that may have been meant, nearest first, three at most: names that differ in case or separators alone, and
 * names within an edit distance of a third of the length.
 */
export function nearest(name: string, candidates: Iterable<string>): readonly string[] {
  const wanted = plain(name)
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= limit && candidate !== name)
    .sort((a, b) => a.distance - b.distance || byCodePoint(a.candidate, b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-_. ]/g, '')
    .slice(0, longestCompared)
}

/** How many insertions, removals, replacements or swaps of neighbours lead from one text to the other. */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}
