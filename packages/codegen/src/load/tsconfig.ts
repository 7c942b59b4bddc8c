import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type { ts } from 'ts-morph'
import { type Diagnostic, errorAt, startOf } from '../diagnostics/diagnostic.js'
import { diskErrorText, isDiskError, isFile, readText, relativePath } from '../files.js'

const require = createRequire(import.meta.url)

/** Type of the package `@ts-morph/common`, which contains the TypeScript compiler and the texts of its libraries. */
interface CompilerPackage {
  readonly ts: typeof ts
  getLibFiles(): readonly { readonly fileName: string; readonly text: string }[]
}

/**
 * Returns the TypeScript compiler that ts-morph contains. The first call loads the compiler, without the classes of ts-morph, which would
 * take a third of the loading time. Uses `require`, because `import` also searches the text of a CommonJS package for export names, which
 * takes half as long as loading the package.
 */
export function loadCompiler(): typeof ts {
  return loadPackage().ts
}

/** Returns the type declarations of the compiler's libraries: file name (e.g. `lib.es2022.d.ts`) → text. */
export function libraryTexts(): ReadonlyMap<string, string> {
  return new Map(
    loadPackage()
      .getLibFiles()
      .map(({ fileName, text }) => [fileName, text]),
  )
}

function loadPackage(): CompilerPackage {
  return createRequire(require.resolve('ts-morph'))('@ts-morph/common')
}

/** Error of a TypeScript configuration that cannot be read. */
export class TsconfigError extends Error {
  override readonly name = 'TsconfigError'
  /** Absolute path of the file with the error, which may be an extended configuration. */
  readonly file: string
  /** Offset of the error in the file, in UTF-16 units from 0. */
  readonly position: number
  /** Absolute paths of the files that were read, or that were looked for and do not exist. */
  readonly read: readonly string[]

  constructor(message: string, file: string, position = 0, read: readonly string[] = [file]) {
    super(message)
    this.file = file
    this.position = position
    this.read = read
  }
}

/** Compiler errors that are ignored: unknown options, which a newer compiler may know, and projects without files. */
const harmless: ReadonlySet<number> = new Set([5023, 5025, 6046, 18002, 18003])

/**
 * Compiler options of a TypeScript configuration. `read` contains the absolute paths of the files that were read, or that were looked for
 * and do not exist.
 */
interface CompilerConfig extends Pick<TsconfigError, 'read'> {
  readonly options: ts.CompilerOptions
}

/** Returns the compiler options of a TypeScript configuration, or its first error. */
export function readTsconfig(compiler: typeof ts, file: string): CompilerConfig | TsconfigError {
  const read = new Set<string>([file])
  const fileExists = (path: string): boolean => {
    read.add(path)
    return isFile(path)
  }
  const host: ts.ParseConfigHost = {
    useCaseSensitiveFileNames: true,
    fileExists,
    readFile: (path) => (fileExists(path) ? readText(path) : undefined),
    readDirectory: () => [],
  }
  const json = compiler.readJsonConfigFile(file, host.readFile)
  const parsed = compiler.parseJsonSourceFileConfigFileContent(json, host, dirname(file), undefined, file)
  const syntaxError = compiler.readConfigFile(file, host.readFile).error
  const error = [syntaxError ?? [], ...parsed.errors].flat().find(({ code }) => !harmless.has(code))
  if (error === undefined) return { options: parsed.options, read: [...read] }
  const message = compiler.flattenDiagnosticMessageText(error.messageText, ' ')
  if (error.file !== undefined && error.start !== undefined) {
    return new TsconfigError(message, error.file.fileName, error.start, [...read])
  }
  return new TsconfigError(message, file, Math.max(readText(file).indexOf('"extends"'), 0), [...read])
}

/**
 * Returns the reason why the evaluator cannot use a TypeScript configuration: the first error in the file, or if it has none, the error
 * `thrown`.
 */
export async function tsconfigErrorOf(file: string, thrown: unknown): Promise<TsconfigError> {
  try {
    await readFile(file)
  } catch (error) {
    if (!isDiskError(error)) throw error
    return new TsconfigError(diskErrorText(error), file)
  }
  const [message = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')
  const config = readTsconfig(loadCompiler(), file)
  return config instanceof TsconfigError ? config : new TsconfigError(message, file)
}

/** Creates the diagnostic for a faulty TypeScript configuration. */
export function tsconfigDiagnostic({ message, file, position }: TsconfigError, root: string): Diagnostic {
  const before = readText(file).slice(0, position).split('\n')
  const column = (before.at(-1)?.length ?? 0) + 1
  return errorAt(
    { file: relativePath(root, file), line: before.length, column },
    'TG1012',
    `Cannot read the TypeScript configuration: ${message.replaceAll(`${root}/`, '').replace(/[.\s]*$/, '.')}`,
    'Correct the file until `npx tsc --showConfig` prints it, or set `tsconfig` in toolgen.config.ts to another file.',
  )
}

/** Creates the diagnostic for a tsconfig whose option `moduleResolution` is too old to find the imports of generated code. */
export function oldResolutionDiagnostic(
  { tsconfig, says }: { readonly tsconfig: string; readonly says: string },
  root: string,
): Diagnostic {
  const message = `With ${says}, tsc cannot resolve \`@toolgen/runtime/codegen/v1\`, which generated code imports.`
  const next =
    'Set `"module": "NodeNext"` in `compilerOptions`, or `"moduleResolution": "Bundler"` if you use a bundler.'
  return { ...errorAt(startOf(relativePath(root, tsconfig)), 'TG1014', message, next), severity: 'warning' }
}
