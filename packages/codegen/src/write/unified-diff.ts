import { type DiffLine, diffLines } from './line-diff.js'

/** The two sides of a unified diff. A side without text does not exist. */
export interface DiffSides {
  /** Path as shown, with `/`. */
  readonly path: string
  readonly before?: string
  readonly after?: string
}

const context = 3

/**
 * The unified diff that turns `before` into `after`, with three lines of context and LF ends, as `patch` and
 * `git apply -p0` read it; empty when the texts are equal.
 */
export function unifiedDiff(sides: DiffSides): string {
  const lines = diffLines(linesOf(sides.before), linesOf(sides.after))
  const hunks = hunksOf(lines)
  if (hunks.length === 0) return ''
  const heads = [
    `--- ${sides.before === undefined ? '/dev/null' : sides.path}`,
    `+++ ${sides.after === undefined ? '/dev/null' : sides.path}`,
  ]
  return `${[...heads, ...hunks.flatMap((hunk) => printHunk(hunk))].join('\n')}\n`
}

/** Lines with their ends, so that a missing last LF is a difference. */
function linesOf(text: string | undefined): readonly string[] {
  return text === undefined ? [] : (text.replaceAll('\r\n', '\n').match(/[^\n]*\n|[^\n]+$/g) ?? [])
}

interface Hunk {
  readonly oldStart: number
  readonly newStart: number
  readonly lines: readonly DiffLine[]
}

function hunksOf(lines: readonly DiffLine[]): readonly Hunk[] {
  const changed = lines.flatMap((line, index) => (line.kind === 'same' ? [] : [index]))
  const ranges: { from: number; to: number }[] = []
  for (const index of changed) {
    const last = ranges.at(-1)
    if (last !== undefined && index - context <= last.to) last.to = Math.min(index + context + 1, lines.length)
    else ranges.push({ from: Math.max(index - context, 0), to: Math.min(index + context + 1, lines.length) })
  }
  return ranges.map(({ from, to }) => ({
    oldStart: countOf(lines.slice(0, from), 'new') + 1,
    newStart: countOf(lines.slice(0, from), 'old') + 1,
    lines: lines.slice(from, to),
  }))
}

/** How many of the lines stand on the other side than the given one. */
function countOf(lines: readonly DiffLine[], without: 'old' | 'new'): number {
  return lines.filter((line) => line.kind !== without).length
}

function printHunk(hunk: Hunk): readonly string[] {
  const head = `@@ -${range(hunk.oldStart, countOf(hunk.lines, 'new'))} +${range(hunk.newStart, countOf(hunk.lines, 'old'))} @@`
  const sign = { same: ' ', old: '-', new: '+' }
  const body = hunk.lines.flatMap((line) =>
    line.text.endsWith('\n')
      ? [`${sign[line.kind]}${line.text.slice(0, -1)}`]
      : [`${sign[line.kind]}${line.text}`, '\\ No newline at end of file'],
  )
  return [head, ...body]
}

function range(start: number, count: number): string {
  if (count === 0) return `${start - 1},0`
  return count === 1 ? `${start}` : `${start},${count}`
}
