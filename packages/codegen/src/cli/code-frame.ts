import type { SourcePlace } from '../diagnostics/diagnostic.js'
import { printable } from '../text/printable.js'
import type { Style } from './terminal.js'

/** How many lines are shown before the place. */
const linesBefore = 1
/** Longer lines are cut. */
const widest = 160

/** The lines at a place with a mark under it; empty when the file has no such line. */
export function codeFrame(text: string, place: SourcePlace, style: Style): readonly string[] {
  const lines = text.split(/\r?\n/)
  const line = lines[place.line - 1]
  if (line === undefined || line.trim() === '') return []
  const first = Math.max(place.line - linesBefore, 1)
  const gutter = String(place.line).length
  const shown = lines.slice(first - 1, place.line).map((content, index) => {
    const number = String(first + index).padStart(gutter)
    return `  ${style('dim', `${number} |`)} ${shorten(content)}`
  })
  // Of a long line, such as that of JSON in one line, only the beginning is shown.
  if (place.column > widest) return shown
  const start = width(line.slice(0, place.column - 1))
  const length = Math.max(
    width(line.slice(place.column - 1, place.column - 1 + Math.min(place.length ?? 1, widest))),
    1,
  )
  if (start >= widest) return shown
  const mark = `${' '.repeat(start)}${style('red', '^'.repeat(Math.min(length, widest - start)))}`
  return [...shown, `  ${' '.repeat(gutter)} ${style('dim', '|')} ${mark}`]
}

function shorten(line: string): string {
  const text = spaced(line.slice(0, widest + 1))
  return text.length > widest ? `${text.slice(0, widest - 1)}…` : text
}

function width(text: string): number {
  return spaced(text).length
}

/** Tabs as two spaces, so that the mark stands under its place whatever the terminal's tabs are. */
function spaced(text: string): string {
  return printable(text.replaceAll('\t', '  '))
}
