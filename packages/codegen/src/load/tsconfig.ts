import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ts } from 'ts-morph'
import { type Diagnostic, errorAt, startOf } from '../diagnostics/diagnostic.js'
import { diskErrorText, isDiskError, isFile, readText, relativePath } from '../files.js'
import { loadWithCodeCache } from './code-cache.js'

const require = createRequire(import.meta.url)

/** This package contains the TypeScript compiler of ts-morph and the texts of its libraries. */
interface CompilerPackage {
  readonly ts: typeof ts
  getLibFiles(): readonly { readonly fileName: string; readonly text: string }[]
}

/** Does not load the classes of ts-morph, so that the first call needs a third less time. */
export function loadCompiler(): typeof ts {
  return loadPackage().ts
}

export function libraryTexts(): ReadonlyMap<string, string> {
  return new Map(
    loadPackage()
      .getLibFiles()
      .map(({ fileName, text }) => [fileName, text]),
  )
}

function loadPackage(): CompilerPackage {
  // `import` would also search the text of the package for export names, which takes half of the loading time.
  const requireCompiler = createRequire(require.resolve('ts-morph'))
  const path = requireCompiler.resolve('@ts-morph/common')
  for (const file of [join(dirname(path), 'typescript.js'), path]) loadWithCodeCache(file)
  return requireCompiler(path)
}

export class TsconfigError extends Error {
  override readonly name = 'TsconfigError'
  /** Absolute path. The file can be an extended configuration. */
  readonly file: string
  readonly position: number
  /** Absolute paths of all files that were read or searched for, including missing files. */
  readonly read: readonly string[]

  constructor(message: string, file: string, position = 0, read: readonly string[] = [file]) {
    super(message)
    this.file = file
    this.position = position
    this.read = read
  }
}

/** Ignored compiler errors: projects without files, and unknown options, which newer compilers may support. */
const harmless: ReadonlySet<number> = new Set([5023, 5025, 6046, 18002, 18003])

interface CompilerConfig extends Pick<TsconfigError, 'read'> {
  readonly options: ts.CompilerOptions
}

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

export function oldResolutionDiagnostic(
  { tsconfig, says }: { readonly tsconfig: string; readonly says: string },
  root: string,
): Diagnostic {
  const message = `With ${says}, tsc cannot resolve \`@toolgen/runtime/codegen/v1\`, which generated code imports.`
  const next =
    'Set `"module": "NodeNext"` in `compilerOptions`, or `"moduleResolution": "Bundler"` if you use a bundler.'
  return { ...errorAt(startOf(relativePath(root, tsconfig)), 'TG1014', message, next), severity: 'warning' }
}
