import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { reservedNames } from '../ir/reserved-names.js'

import { loadCompiler } from '../load/compiler.js'
import type { EmittedFile } from '../output/files.js'
import { createEmissionMemory, type EmissionMemory } from './emit-design.js'

/**
 * Parses every generated text. A syntax error is a bug in this generator, which is reported before anything is written. Loads
 * the compiler.
 *
 * @param memory texts that earlier runs of this process have parsed
 */
export async function checkSyntax(
  files: readonly EmittedFile[],
  memory: EmissionMemory = createEmissionMemory(),
): Promise<readonly Diagnostic[]> {
  const errors = await syntaxErrors(files.filter(({ path, text }) => memory.parsed.get(path) !== text))
  memory.parsed.clear()
  if (errors.length === 0) for (const { path, text } of files) memory.parsed.set(path, text)
  return errors
}

async function syntaxErrors(files: readonly EmittedFile[]): Promise<readonly Diagnostic[]> {
  const short = await syntaxErrorsIn(files.map(({ path, text }) => ({ path, text: abridged(text) })))
  // Parses the complete texts again, because the error locations must refer to them.
  return short.length === 0 ? [] : syntaxErrorsIn(files)
}

async function syntaxErrorsIn(files: readonly EmittedFile[]): Promise<readonly Diagnostic[]> {
  if (files.length === 0) return []
  const { ts } = loadCompiler()
  const texts = new Map(files.map((file) => [`/${file.path}`, file.text]))
  const program = ts.createProgram({
    rootNames: [...texts.keys()],
    options: {
      allowJs: true,
      noLib: true,
      noResolve: true,
      types: [],
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
    },
    host: {
      fileExists: (name) => texts.has(name),
      readFile: (name) => texts.get(name),
      getSourceFile: (name, options) => {
        const text = texts.get(name)
        if (text === undefined) return undefined
        // Doc comments are not parsed, because they cannot make a text invalid.
        const parsing = typeof options === 'object' ? options : { languageVersion: options }
        return ts.createSourceFile(name, text, { ...parsing, jsDocParsingMode: ts.JSDocParsingMode.ParseNone })
      },
      getDefaultLibFileName: () => '/lib.d.ts',
      getCurrentDirectory: () => '/',
      getCanonicalFileName: (name) => name,
      useCaseSensitiveFileNames: () => true,
      getNewLine: () => '\n',
      writeFile: () => {},
    },
  })
  return program.getSyntacticDiagnostics().map(({ file, start, messageText }) => {
    const { line, character } = file.getLineAndCharacterOfPosition(start)
    const language = file.fileName.endsWith('.js') ? 'JavaScript' : 'TypeScript'
    const what = ts.flattenDiagnosticMessageText(messageText, ' ')
    return {
      code: 'TG9001',
      severity: 'error',
      message: `The generated file ${file.fileName.slice(1)}:${line + 1}:${character + 1} is not valid ${language}: ${what}`,
      next: 'This is a bug in toolgen. Report it with the names and texts of your design.',
    }
  })
}

/** Matches the start of a doc comment on its own line, or of an array or object literal on several lines. */
const openings = /^ *\/\*\*|(?<=[:=] |\()[{[]\n/gm

/** Matches a token of a data literal: a key, bracket, comma, string, number or name. */
const tokens = (() => {
  const text = (quote: string) =>
    String.raw`${quote}(?:[^${quote}\\\r\n\u2028\u2029]|\\(?:[nrt'"\\]|u[\da-f]{4}))*${quote}`
  const texts = `${text("'")}|${text('"')}`
  const name = String.raw`[A-Za-z_$][\w$]*`
  const number = String.raw`-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?(?![\w$.])`
  const key = String.raw`(?:${name}|${texts}|\['__proto__'\]): `
  return new RegExp(String.raw`\s*(?:(${key})|([{[])|([}\]])|(,)|(${texts}|${number})|(${name}))`, 'y')
})()

/**
 * Returns a generated text without doc comments and contents of data literals, which cannot be invalid but take most of the
 * parsing time. Positions change.
 */
export function abridged(text: string): string {
  const parts: string[] = []
  let from = 0
  openings.lastIndex = 0
  for (let match = openings.exec(text); match !== null; match = openings.exec(text)) {
    const { index } = match
    const data = /^[{[]/.test(match[0])
    const end = data ? dataEnd(text, index) : commentEnd(text, index)
    if (end === undefined) continue
    parts.push(text.slice(from, data ? index + 1 : index))
    from = data ? end - 1 : end
    openings.lastIndex = end
  }
  return parts.join('') + text.slice(from)
}

function commentEnd(text: string, start: number): number | undefined {
  const end = text.indexOf('*/', start) + '*/'.length
  return text[end] === '\n' ? end : undefined
}

/** Returns the end of the literal that begins at a bracket; `undefined` if it contains more than data. */
function dataEnd(text: string, start: number): number | undefined {
  const closers: string[] = []
  let awaited: 'entry' | 'value' | 'comma' = 'value'
  tokens.lastIndex = start
  for (;;) {
    const [, key, open, close, comma, literal, name] = tokens.exec(text) ?? []
    const takesValue: boolean = awaited === 'value' || (awaited === 'entry' && closers.at(-1) === ']')
    if (key !== undefined) {
      if (awaited !== 'entry' || closers.at(-1) !== '}') return undefined
      awaited = 'value'
    } else if (open !== undefined && takesValue) {
      closers.push(open === '{' ? '}' : ']')
      awaited = 'entry'
    } else if (close !== undefined) {
      if (awaited === 'value' || closers.pop() !== close) return undefined
      if (closers.length === 0) return tokens.lastIndex
      awaited = 'comma'
    } else if (comma !== undefined && awaited === 'comma') awaited = 'entry'
    else if (takesValue && (literal !== undefined || (name !== undefined && isValue(name)))) awaited = 'comma'
    else return undefined
  }
}

function isValue(name: string): boolean {
  return name === 'true' || name === 'false' || name === 'null' || !reservedNames.has(name)
}
