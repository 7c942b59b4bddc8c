import { printable, printableLine } from '../text/printable.js'
import { contentHash } from '../write/content-hash.js'
import { count } from './count.js'
import type { ShownDrift } from './cut-diffs.js'
import type { Style, Terminal } from './terminal.js'

/** Prints diffs to standard output, and to standard error how much of them is left out. */
export function printDiffs(drift: readonly ShownDrift[], reporter: 'pretty' | 'github', terminal: Terminal): void {
  for (const { path, diff, omitted } of drift) {
    if (diff === '') continue
    if (reporter === 'github') terminal.out(folded(path, diff))
    else terminal.out(terminal.outIsTerminal ? forTerminal(diff, terminal.outStyle) : diff)
    if (omitted > 0) terminal.note(`${printableLine(path)}: ${count(omitted, 'more line')}\n`)
  }
  const cut = drift.filter(({ omitted }) => omitted > 0)
  if (cut.length === 0) return
  const lines = cut.reduce((all, { omitted }) => all + omitted, 0)
  const files = `${count(lines, 'line')} of the differences in ${count(cut.length, 'file')}`
  terminal.note(
    `${files} ${lines === 1 ? 'is' : 'are'} left out (toolgen check --verbose shows ${lines === 1 ? 'it' : 'them'})\n`,
  )
}

const colours = { '+': 'green', '-': 'red', '@': 'cyan' } as const

/** A diff as people read it; to a file or another program it goes byte for byte, so that `patch` can read it. */
function forTerminal(diff: string, style: Style): string {
  const lines = diff.split('\n').map((line) => {
    const sign = line.charAt(0)
    return sign === '+' || sign === '-' || sign === '@' ? style(colours[sign], printable(line)) : printable(line)
  })
  return lines.join('\n')
}

/** A diff that the log of GitHub Actions folds; no line of it is taken for a command, which nobody can know the end of. */
function folded(path: string, diff: string): string {
  const stop = contentHash(diff)
  return `::group::${printableLine(path)}\n::stop-commands::${stop}\n${diff}::${stop}::\n::endgroup::\n`
}
