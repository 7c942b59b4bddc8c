import { lineWidth } from '../text/literal.js'

/** Code up to the next comma or operator after which a line may end; never up to one within a literal. */
const parts = /(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|.)+?(?:, | (?:=>|&&|\|\||[?:]) |$)/gsu

/** Where a picker's text stands. */
export interface PickPlace {
  /** How far its further lines are indented, in columns. */
  readonly indent: number
  /** How many columns are taken on its first line. */
  readonly used: number
  /** How many columns what follows takes on its last line. */
  readonly after: number
}

/** A picker's text in lines that end after commas and operators. */
export function fillPicker(text: string, { indent, used, after }: PickPlace): string {
  const lines: string[] = []
  let line = ''
  for (const { 0: part, index } of text.matchAll(parts)) {
    const before = lines.length === 0 ? used : indent
    const end = index + part.length === text.length ? after : 0
    if (line !== '' && before + line.length + part.trimEnd().length + end > lineWidth) {
      lines.push(line.trimEnd())
      line = ''
    }
    line += part
  }
  return [...lines, line].join(`\n${' '.repeat(indent)}`)
}
