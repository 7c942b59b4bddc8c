import { lineWidth } from './literal.js'

/**
 * Text as a documentation comment without a line break at its end: one line where it fits, else wrapped. No text can
 * end the comment, start a tag, or hide what it says.
 *
 * @param indent how far the comment is indented, in columns; the first line is not indented here
 */
export function docComment(text: string, indent: number): string {
  const lines = text.split(/\r\n|[\n\r\u2028\u2029]/).map(harmless)
  while (lines.length > 1 && lines[0] === '') lines.shift()
  while (lines.length > 1 && lines.at(-1) === '') lines.pop()
  const [only = ''] = lines
  if (lines.length === 1 && indent + only.length + 7 <= lineWidth) return only === '' ? '/** */' : `/** ${only} */`
  const margin = ' '.repeat(indent)
  const wrapped = lines.flatMap((line) => wrap(line, lineWidth - indent - 3))
  return ['/**', ...wrapped.map((line) => `${margin} * ${line}`.trimEnd()), `${margin} */`].join('\n')
}

/** One line of text for a `//` comment. */
export function lineComment(text: string): string {
  return `// ${harmless(text.replace(/[\n\r\u2028\u2029]+/g, ' '))}`
}

/** A line without what a compiler, an editor or a bundler would read as more than text. */
function harmless(line: string): string {
  return line
    .replaceAll('\t', ' ')
    .replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll('*/', '*\\/')
    .replace(/(?<![\p{L}\p{N}])@/gu, '\\@')
    .trim()
}

/** Breaks a line between words; a word that is too long stays whole. */
function wrap(line: string, width: number): readonly string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/ +/)) {
    if (current !== '' && current.length + 1 + word.length > width) {
      lines.push(current)
      current = word
    } else {
      current = current === '' ? word : `${current} ${word}`
    }
  }
  return [...lines, current]
}
