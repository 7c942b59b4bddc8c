import { lineWidth } from '../text.js'

/** A place where a line may end. */
interface Break {
  readonly at: number
  /** How many brackets are open there. */
  readonly depth: number
}

/**
 * A function's head with its body: on one line where that fits, else the body in as few lines as may be, which end after
 * operators and as far out of brackets as that allows.
 */
export function fillText(head: string, body: string): string {
  const flat = `${head} ${body}`
  if (flat.length <= lineWidth) return flat
  return `${fillPicker(head, { indent: 2, used: 0, after: 0 })}\n${filled(body, 2)}`
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

/** A line that is to be ended. */
interface Line {
  readonly start: number
  readonly width: number
  /** How many lines the text takes from a place on, at least. */
  readonly fewest: ReadonlyMap<number, number>
}

/** Where a line ends best that leaves no more lines than need be: outside of brackets rather than inside, then late. */
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

/** How many lines a text takes from each break on, where lines are as long as may be. */
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

/** The places after operators, and after the commas of lists; never within a literal. */
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

/** Where a picker's text stands. */
interface PickLocation {
  /** How far its further lines are indented, in columns. */
  readonly indent: number
  /** How many columns are taken on its first line. */
  readonly used: number
  /** How many columns what follows takes on its last line. */
  readonly after: number
}

/** A picker's text in lines that end after commas and operators. */
export function fillPicker(text: string, { indent, used, after }: PickLocation): string {
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
