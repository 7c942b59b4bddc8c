import { relative, sep } from 'node:path'
import type { ts } from 'ts-morph'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import { byCodePoint } from '../text.js'
import type { PartReader } from './type-parts.js'

/** Do not use the text in generated code, because the text can be shortened. */
export function describeType(type: ts.Type, { ts, checker }: PartReader): string {
  const isParameter = (type.flags & ts.TypeFlags.TypeParameter) !== 0
  const shown = (isParameter ? checker.getBaseConstraintOfType(type) : undefined) ?? type
  // Removes the folders of modules, because they differ between machines.
  const text = checker
    .typeToString(shown)
    .replace(/\s+/g, ' ')
    .replace(/import\("(?:[^"]*\/)?([^"]*)"\)/g, 'import("$1")')
  // Sorts the members of a union, because the compiler's order depends on the types that it saw before.
  const rank = (part: string): number => (part === 'null' ? 1 : part === 'undefined' ? 2 : 0)
  const ordered = alternativesIn(text).sort((a, b) => rank(a) - rank(b) || byCodePoint(a, b))
  const line = ordered.join(' | ')
  return line.length > 60 ? `${line.slice(0, 57)}...` : line
}

function alternativesIn(text: string): string[] {
  const parts = ['']
  let depth = 0
  let quote = ''
  for (const [at, letter] of [...text].entries()) {
    if (quote !== '') quote = letter === quote ? '' : quote
    else if (/["'`]/.test(letter)) quote = letter
    else if (/[<({[]/.test(letter)) depth += 1
    // The `>` of an arrow `=>` is not a closing bracket.
    else if (/[)}\]]/.test(letter) || (letter === '>' && text[at - 1] !== '=')) depth -= 1
    if (depth === 0 && quote === '' && letter === '|') parts.push('')
    else parts.push(`${parts.pop()}${letter}`)
  }
  // In a function type, `|` belongs to the return type, so the text is not split.
  return text.includes('=>') && parts.length > 1 ? [text] : parts.map((part) => part.trim())
}

export function locationAt(file: ts.SourceFile, start: number, root: string): SourceLocation {
  const { line, character } = file.getLineAndCharacterOfPosition(start)
  const inRoot = relative(root, file.fileName).split(sep).join('/')
  const isBelow = !inRoot.startsWith('../') && !/^(?:[A-Za-z]:)?\//.test(inRoot)
  const packages = file.fileName.replace(/\\/g, '/').split('/node_modules/')
  const shown = isBelow || packages.length === 1 ? inRoot : `node_modules/${packages.at(-1)}`
  return { file: shown, line: line + 1, column: character + 1 }
}
