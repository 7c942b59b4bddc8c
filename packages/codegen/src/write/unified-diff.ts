import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from 'diff'

/** The two sides of a unified diff. A side without text does not exist. */
export interface DiffSides {
  /** Path as shown, with `/`. */
  readonly path: string
  readonly before?: string
  readonly after?: string
}

/** Texts that differ in more lines are shown as replaced as a whole: the search for the shortest edit is quadratic in it. */
const searchLimit = 1000

/**
 * The unified diff that turns `before` into `after`, with three lines of context and LF ends, as `patch` and
 * `git apply -p0` read it; empty when the texts are equal.
 */
export function unifiedDiff(sides: DiffSides): string {
  const [before = '', after = ''] = [sides.before, sides.after].map((text) => text?.replaceAll('\r\n', '\n'))
  if (before === after) return ''
  const [oldName, newName] = [sides.before, sides.after].map((text) => (text === undefined ? '/dev/null' : sides.path))
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY, maxEditLength: searchLimit }
  const names = [oldName ?? '', newName ?? ''] as const
  return (
    createTwoFilesPatch(...names, before, after, undefined, undefined, options) ?? replacement(names, before, after)
  )
}

function replacement([oldFileName, newFileName]: readonly [string, string], before: string, after: string): string {
  const [old, now] = [signed('-', before), signed('+', after)]
  const lines = [...old.lines, ...now.lines]
  const hunk = { oldStart: 1, oldLines: old.count, newStart: 1, newLines: now.count, lines }
  const patch = { oldFileName, newFileName, oldHeader: undefined, newHeader: undefined, hunks: [hunk] }
  return formatPatch(patch, FILE_HEADERS_ONLY)
}

/** The lines of a text with a sign, and with the remark that a last line without an end needs. */
function signed(sign: '-' | '+', text: string): { readonly lines: readonly string[]; readonly count: number } {
  const lines = text.split('\n')
  const isEnded = lines.at(-1) === ''
  const whole = isEnded ? lines.slice(0, -1) : lines
  const marked = whole.map((line) => `${sign}${line}`)
  return { lines: isEnded ? marked : [...marked, '\\ No newline at end of file'], count: whole.length }
}
