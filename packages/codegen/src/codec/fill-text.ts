import { lineWidth } from '../text/literal.js'
import { fillPicker } from './pick-text.js'

/** A place where a line may end. */
interface Break {
  readonly at: number
  /** How many brackets are open there. */
  readonly depth: number
}

/**
 * A function's head with its body: on one line where that fits, else the body in lines that end after operators, as far
 * out of brackets as may be.
 */
export function fillText(head: string, body: string): string {
  const flat = `${head} ${body}`
  if (flat.length <= lineWidth) return flat
  return `${fillPicker(head, { indent: 2, used: 0, after: 0 })}\n${filled(body, 2)}`
}

function filled(text: string, indent: number): string {
  const breaks = breaksOf(text)
  const lines: string[] = []
  let start = 0
  while (text.length - start > lineWidth - indent) {
    const end = endOfLine(breaks, start, start + lineWidth - indent)
    if (end === undefined) break
    lines.push(text.slice(start, end).trimEnd())
    start = end
  }
  return [...lines, text.slice(start)].map((line) => `${' '.repeat(indent)}${line}`).join('\n')
}

/** Where a line ends best: outside of brackets rather than inside, late rather than early. */
function endOfLine(breaks: readonly Break[], start: number, limit: number): number | undefined {
  const possible = breaks.filter(({ at }) => at > start && at <= limit + 1)
  const late = possible.filter(({ at }) => at - start > (limit - start) / 2)
  const choice =
    late.length > 0 ? late : possible.length > 0 ? possible : breaks.filter(({ at }) => at > start).slice(0, 1)
  const outermost = Math.min(...choice.map(({ depth }) => depth))
  return choice.filter(({ depth }) => depth === outermost).at(-1)?.at
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
