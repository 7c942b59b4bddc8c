// Maximum length of names in the search for similar names. Longer names match only if they are equal, so that the
// search is fast for names of any length.
const longestCompared = 100

interface PlainName {
  readonly name: string
  readonly plain: string
  /** Set of the letters in `plain`, as bits. The difference of two such sets gives a lower bound for the number of edits. */
  readonly letters: number
}

export class NameList {
  readonly #names: readonly PlainName[]
  readonly #letters: number

  constructor(names: readonly string[]) {
    this.#names = names.map(plainName)
    this.#letters = this.#names.reduce((sum, { plain }) => sum + (plain.length > longestCompared ? 0 : plain.length), 0)
  }

  cost(name: string): number {
    return this.#names.length + (name.length > longestCompared ? 0 : name.length * this.#letters)
  }

  nearest(name: string, max: number, strict = false): readonly string[] {
    const wanted = plainName(name)
    const ranked: { candidate: string; distance: number }[] = []
    for (const candidate of this.#names) {
      const distance = candidate.name === name ? -1 : distanceOf(wanted, candidate, longestCompared, strict)
      if (distance !== undefined) ranked.push({ candidate: candidate.name, distance })
    }
    ranked.sort((a, b) => a.distance - b.distance)
    return ranked.slice(0, max).map(({ candidate }) => candidate)
  }

  first(name: string): string | undefined {
    const wanted = plainName(name)
    let first: string | undefined
    // Candidates that cannot be nearer than the best one so far are skipped early.
    let most = longestCompared
    for (const candidate of this.#names) {
      const distance = candidate.name === name ? -1 : distanceOf(wanted, candidate, most)
      if (distance === undefined) continue
      first = candidate.name
      most = Math.min(most, distance - 1)
    }
    return first
  }
}

/**
 * Returns at most `max` candidates that are similar to `name`, most similar first. Ignores case and separators: `order_id` equals `orderId`.
 * Equally similar candidates keep their order. A candidate is similar in one of these cases:
 * - At most a third of the letters of the longer name, or one letter, must be inserted, deleted, replaced or swapped with the next letter to get the
 *   other name.
 * - One of the two names is the beginning or end of the other name, for example `id` and `orderId`.
 *
 * A name of one letter is similar only to an equal name, and a name of more than 100 characters only to the identical name.
 *
 * @param strict if true, a third of the letters of `name` is the limit, even if the candidate is longer; a common beginning or end is not
 * sufficient; and a name of one letter is compared like other names. Default: false
 * @example nearestNames('statsu', ['status', 'state'], 1) // ['status']
 */
export function nearestNames(
  name: string,
  candidates: readonly string[],
  max: number,
  strict: boolean = false,
): readonly string[] {
  return new NameList(candidates).nearest(name, max, strict)
}

function plainName(name: string): PlainName {
  if (name.length > longestCompared) return { name, plain: name, letters: 0 }
  const plain = (separator.test(name) ? name.replace(/[\s_.\-/:]+/g, '') : name).toLowerCase()
  let letters = 0
  for (let index = 0; index < plain.length; index++) letters |= 1 << (plain.charCodeAt(index) & 31)
  return { name, plain, letters }
}

const separator = /[\s_.\-/:]/

function distanceOf(a: PlainName, b: PlainName, most: number, strict = false): number | undefined {
  if (a.plain === b.plain) return most < 0 ? undefined : 0
  const isShorter = a.plain.length < b.plain.length
  const short = isShorter ? a.plain : b.plain
  const long = isShorter ? b.plain : a.plain
  if (long.length > longestCompared || short.length < (strict ? 1 : 2)) return undefined
  const allowed = Math.min(most, Math.max(1, Math.floor((strict ? a.plain : long).length / 3)))
  const lettersOfShort = isShorter ? a.letters & ~b.letters : b.letters & ~a.letters
  const lettersOfLong = isShorter ? b.letters & ~a.letters : a.letters & ~b.letters
  // One edit adds or removes at most one letter. Each letter that only the shorter name has needs an edit, and so does
  // the difference in length.
  const surplus = long.length - short.length
  if (surplus + bits(lettersOfShort) <= allowed && bits(lettersOfLong) <= allowed) {
    const edits = boundedEdits(short, long, allowed)
    if (edits !== undefined) return edits
  }
  return most >= longestCompared && !strict && lettersOfShort === 0 && (long.startsWith(short) || long.endsWith(short))
    ? longestCompared
    : undefined
}

function bits(word: number): number {
  let count = 0
  for (let rest = word; rest !== 0; rest &= rest - 1) count++
  return count
}

/** A swap of adjacent letters counts as one edit. Computes only the part of the distance matrix that `most` edits can reach. */
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
    // A swap refers to the row before the last one, so both must exceed the limit.
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
