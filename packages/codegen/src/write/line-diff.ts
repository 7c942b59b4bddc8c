/** One line of a comparison: kept, only in the old text, or only in the new. */
export interface DiffLine {
  readonly kind: 'same' | 'old' | 'new'
  readonly text: string
}

/** Beyond this many differing lines the middle is shown as replaced as a whole; the search is quadratic in it. */
const searchLimit = 1000

/** The shortest edit from one list of lines to another (Myers' algorithm), or a whole replacement when they differ in too much. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  ) {
    end += 1
  }
  const same = (text: string): DiffLine => ({ kind: 'same', text })
  return [
    ...before.slice(0, start).map(same),
    ...diffMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map(same),
  ]
}

function diffMiddle(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const trace = before.length === 0 || after.length === 0 ? undefined : search(before, after)
  if (trace !== undefined) return walkBack(before, after, trace)
  return [
    ...before.map((text): DiffLine => ({ kind: 'old', text })),
    ...after.map((text): DiffLine => ({ kind: 'new', text })),
  ]
}

/** Furthest reach per diagonal, by number of edits; undefined when the limit is passed. */
function search(
  before: readonly string[],
  after: readonly string[],
): readonly ReadonlyMap<number, number>[] | undefined {
  const trace: ReadonlyMap<number, number>[] = []
  let reach: ReadonlyMap<number, number> = new Map([[1, 0]])
  for (let edits = 0; edits <= searchLimit; edits += 1) {
    trace.push(reach)
    const next = new Map<number, number>()
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = comesDown(reach, diagonal, edits) ? at(reach, diagonal + 1) : at(reach, diagonal - 1) + 1
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1
      next.set(diagonal, x)
      if (x >= before.length && x - diagonal >= after.length) return trace
    }
    reach = next
  }
  return undefined
}

function walkBack(
  before: readonly string[],
  after: readonly string[],
  trace: readonly ReadonlyMap<number, number>[],
): readonly DiffLine[] {
  const lines: DiffLine[] = []
  let x = before.length
  let y = after.length
  for (let edits = trace.length - 1; edits >= 0; edits -= 1) {
    const reach = trace[edits] ?? new Map<number, number>()
    const down = comesDown(reach, x - y, edits)
    const fromDiagonal = down ? x - y + 1 : x - y - 1
    const fromX = edits === 0 ? 0 : at(reach, fromDiagonal)
    const fromY = edits === 0 ? 0 : fromX - fromDiagonal
    while (x > fromX && y > fromY) {
      x -= 1
      y -= 1
      lines.push({ kind: 'same', text: before[x] ?? '' })
    }
    if (edits > 0)
      lines.push(down ? { kind: 'new', text: after[fromY] ?? '' } : { kind: 'old', text: before[fromX] ?? '' })
    x = fromX
    y = fromY
  }
  return lines.reverse()
}

/** Whether the path to a diagonal comes by an insertion (down) rather than a deletion (right). */
function comesDown(reach: ReadonlyMap<number, number>, diagonal: number, edits: number): boolean {
  return diagonal === -edits || (diagonal !== edits && at(reach, diagonal - 1) < at(reach, diagonal + 1))
}

function at(reach: ReadonlyMap<number, number>, diagonal: number): number {
  return reach.get(diagonal) ?? -1
}
