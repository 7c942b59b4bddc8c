import { loadCompiler } from '../compiler/load-compiler.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { EmittedFile } from '../write/file.js'
import { abridged } from './abridged.js'
import { createEmissionMemory, type EmissionMemory } from './emission-memory.js'

/**
 * Parses every final text once, as TypeScript or JavaScript. A text that is neither is a defect of this generator, reported with the file and
 * place so that nothing broken is ever published. The compiler is loaded only here.
 *
 * @param memory what earlier runs of this process have parsed. Default: nothing
 */
export async function checkSyntax(
  files: readonly EmittedFile[],
  memory: EmissionMemory = createEmissionMemory(),
): Promise<readonly Diagnostic[]> {
  const faults = await parseFaults(files.filter(({ path, text }) => memory.sound.get(path) !== text))
  memory.sound.clear()
  if (faults.length === 0) for (const { path, text } of files) memory.sound.set(path, text)
  return faults
}

async function parseFaults(files: readonly EmittedFile[]): Promise<readonly Diagnostic[]> {
  const short = await faultsIn(files.map(({ path, text }) => ({ path, text: abridged(text) })))
  // The places are those of the whole text.
  return short.length === 0 ? [] : faultsIn(files)
}

async function faultsIn(files: readonly EmittedFile[]): Promise<readonly Diagnostic[]> {
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
        // Nothing in doc comments can break a text.
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
      message: `The generated file ${file.fileName.slice(1)}:${line + 1}:${character + 1} is no ${language}: ${what}`,
      next: 'This is a defect of toolgen: please report it with the names and texts of your design.',
    }
  })
}
