import { lineWidth } from '../text.js'

interface Break {
  readonly at: number
  readonly depth: number
}

/** Writes as few lines as possible, and prefers line breaks outside of brackets. */
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
  readonly fewest: ReadonlyMap<number, number>
}

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

function fewestLines(length: number, breaks: readonly Break[], width: number): ReadonlyMap<number, number> {
  const fewest = new Map<number, number>()
  let end = breaks.length - 1
  for (let index = breaks.length - 1; index >= 0; index -= 1) {
    const start = breaks[index]?.at ?? 0
    // Finds the last break that fits on the line that begins at `start`. As `start` decreases in this loop, `end` decreases too.
    while (end > index + 1 && (breaks[end]?.at ?? 0) > start + width + 1) end -= 1
    const next = length - start > width && end > index ? fewest.get(breaks[end]?.at ?? 0) : undefined
    fewest.set(start, 1 + (next ?? 0))
  }
  return fewest
}

function breaksOf(text: string): readonly Break[] {
  const breaks: Break[] = []
  let depth = 0
  for (const { 0: token, index } of text.matchAll(
    /'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?:&&|\|\||[+?:]) |, (?=['"\d])|[()[\]{}]/gsu,
  )) {
    const first = token.charAt(0)
    if ('([{'.includes(first)) depth += 1
    else if (')]}'.includes(first)) depth -= 1
    else if (first !== "'" && first !== '"') breaks.push({ at: index + token.length, depth })
  }
  return breaks
}

/** Matches code up to the next comma or operator that can end a line. Skips string literals. */
const parts = /(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|.)+?(?:, | (?:=>|&&|\|\||[?:]) |$)/gsu

interface FillPosition {
  readonly indent: number
  readonly used: number
  readonly after: number
}

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
