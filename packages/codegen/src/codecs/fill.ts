import { lineWidth } from '../text.js'

interface Break {
  readonly at: number
  readonly depth: number
}

/**
 * Returns a function's head with its body: on one line where that fits, else the body on as few lines as possible, which
 * end after operators and as far out of brackets as that allows.
 */
export function fillText(head: string, body: string): string {
  const flat = `${head} ${body}`
  if (flat.length <= lineWidth) return flat
  return `${fillArrow(head, { indent: 2, used: 0, after: 0 })}\n${filled(body, 2)}`
}

function filled(text: string, indent: number): string {
  const width = lineWidth - indent
  const breaks = breaksOf(text)
  const fewest = fewestLines(text.length, breaks, width)
  const lines: string[] = []
  let from = 0
  for (let start = 0; ; ) {
    const rest = breaks.slice(from)
    const end = text.length - start > width ? endOfLine(rest, { start, width, fewest }) : undefined
    if (end === undefined) {
      lines.push(text.slice(start))
      break
    }
    lines.push(text.slice(start, end.at).trimEnd())
    start = end.at
    from = breaks.indexOf(end, from) + 1
  }
  return lines.map((line) => `${' '.repeat(indent)}${line}`).join('\n')
}

interface Line {
  readonly start: number
  readonly width: number
  /** The minimum number of lines from a position on. */
  readonly fewest: ReadonlyMap<number, number>
}

/** Returns the best end of a line among those that need no further line: outside of brackets rather than inside, then late. */
function endOfLine(breaks: readonly Break[], { start, width, fewest }: Line): Break | undefined {
  const beyond = breaks.findIndex(({ at }) => at > start + width + 1)
  const possible = beyond < 0 ? breaks : breaks.slice(0, beyond)
  const last = possible.at(-1)
  if (last === undefined) return breaks[0]
  const left = fewest.get(last.at)
  const fitting = possible.filter(({ at }) => at - start > width / 2 && fewest.get(at) === left)
  const choice = fitting.length > 0 ? fitting : [last]
  const outermost = Math.min(...choice.map(({ depth }) => depth))
  return choice.filter(({ depth }) => depth === outermost).at(-1)
}

/** Returns the number of lines from each break on, where lines are as long as possible. */
function fewestLines(length: number, breaks: readonly Break[], width: number): ReadonlyMap<number, number> {
  const fewest = new Map<number, number>()
  let end = breaks.length - 1
  for (let index = breaks.length - 1; index >= 0; index -= 1) {
    const start = breaks[index]?.at ?? 0
    // The last break that a line from here may reach: the further back it begins, the further back that is.
    while (end > index + 1 && (breaks[end]?.at ?? 0) > start + width + 1) end -= 1
    const next = length - start > width && end > index ? fewest.get(breaks[end]?.at ?? 0) : undefined
    fewest.set(start, 1 + (next ?? 0))
  }
  return fewest
}

/** Returns the positions after operators, and after the commas of lists; never within a literal. */
function breaksOf(text: string): readonly Break[] {
  const breaks: Break[] = []
  let depth = 0
  for (const token of text.matchAll(
    /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?:&&|\|\||[+?:]) |, (?=['"\d])|[()[\]{}]/gsu,
  )) {
    if (/^[([{]$/.test(token[0])) depth += 1
    else if (/^[)\]}]$/.test(token[0])) depth -= 1
    else if (/ $/.test(token[0]) && !/^['"]/.test(token[0])) breaks.push({ at: token.index + token[0].length, depth })
  }
  return breaks
}

/** Code up to the next comma or operator after which a line may end; never up to one within a literal. */
const parts = /(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|.)+?(?:, | (?:=>|&&|\|\||[?:]) |$)/gsu

interface FillPosition {
  /** Indentation of its further lines, in columns. */
  readonly indent: number
  /** Number of columns that are taken on its first line. */
  readonly used: number
  /** Number of columns that what follows takes on its last line. */
  readonly after: number
}

/** Returns an arrow function on lines that end after commas and operators. */
export function fillArrow(text: string, { indent, used, after }: FillPosition): string {
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
