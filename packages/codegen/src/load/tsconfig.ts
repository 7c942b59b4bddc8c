import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ts } from 'ts-morph'
import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { foundAt, inWords, isDiskError, readText, relativePath } from '../files.js'
import { loadCompiler } from './compiler.js'

/** Error in a TypeScript configuration or in one that it extends. */
export interface TsconfigFault {
  readonly message: string
  /** Absolute. */
  readonly file: string
  /** From 0. */
  readonly position: number
  /** Absolute paths that were read or looked for. */
  readonly read: readonly string[]
}

/** Diagnostics to ignore: options that a newer compiler can accept, and projects without files. */
const harmless: ReadonlySet<number> = new Set([5023, 5025, 6046, 18002, 18003])

/** The first thing for which a TypeScript configuration cannot be read; undefined where it can be. */
export function tsconfigFault(compiler: typeof ts, file: string): TsconfigFault | undefined {
  const { readConfigFile, readJsonConfigFile, parseJsonSourceFileConfigFileContent, flattenDiagnosticMessageText } =
    compiler
  const asked = new Set<string>([file])
  const fileExists = (path: string): boolean => {
    asked.add(path)
    return foundAt(path)?.isFile() ?? false
  }
  const host: ts.ParseConfigHost = {
    useCaseSensitiveFileNames: true,
    fileExists,
    readFile: (path) => (fileExists(path) ? readText(path) : undefined),
    readDirectory: () => [],
  }
  const parsed = parseJsonSourceFileConfigFileContent(
    readJsonConfigFile(file, host.readFile),
    host,
    dirname(file),
    undefined,
    file,
  )
  const errors = [readConfigFile(file, host.readFile).error ?? [], ...parsed.errors].flat()
  const fault = errors.find(({ code }) => !harmless.has(code))
  if (fault === undefined) return undefined
  const message = flattenDiagnosticMessageText(fault.messageText, ' ')
  const read = [...asked]
  return fault.file === undefined || fault.start === undefined
    ? { message, read, file, position: Math.max(readText(file).indexOf('"extends"'), 0) }
    : { message, read, file: fault.file.fileName, position: fault.start }
}

/** Why nothing could be evaluated: the TypeScript configuration, whose `paths` imports follow, cannot be read. */
export class UnreadableTsconfig extends Error {
  override readonly name = 'UnreadableTsconfig'
  readonly fault: TsconfigFault

  constructor(fault: TsconfigFault) {
    super(fault.message)
    this.fault = fault
  }
}

/**
 * Finds out why a TypeScript configuration was refused.
 *
 * @param reason what was thrown; told where the compiler finds nothing wrong
 */
export async function unreadableTsconfig(file: string, reason: unknown): Promise<UnreadableTsconfig> {
  const refusal = await refusalOf(file)
  if (refusal !== undefined) return new UnreadableTsconfig({ message: refusal, file, position: 0, read: [file] })
  const { ts } = loadCompiler()
  const [told = ''] = (reason instanceof Error ? reason.message : String(reason)).split('\n')
  return new UnreadableTsconfig(tsconfigFault(ts, file) ?? { message: told, file, position: 0, read: [file] })
}

/** Why the operating system does not give out a file; undefined where it does. */
async function refusalOf(file: string): Promise<string | undefined> {
  try {
    await readFile(file)
    return undefined
  } catch (error) {
    if (!isDiskError(error)) throw error
    return inWords(error)
  }
}

/** Returns the diagnostic for a faulty TypeScript configuration. */
export function tsconfigDiagnostic({ message, file, position }: TsconfigFault, root: string): Diagnostic {
  const before = readText(file).slice(0, position).split('\n')
  const location: SourceLocation = {
    file: relativePath(root, file),
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
  }
  const said = message.replaceAll(`${root}/`, '').replace(/[.\s]*$/, '.')
  return {
    code: 'TG1012',
    severity: 'error',
    message: `The TypeScript configuration cannot be read: ${said}`,
    location,
    next: 'Correct it until `npx tsc --showConfig` prints it, or name another one with `tsconfig` in the configuration.',
  }
}

/** Returns the diagnostic for a tsconfig whose module resolution does not find the imports of generated code. */
export function oldResolutionDiagnostic(
  { tsconfig, says }: { readonly tsconfig: string; readonly says: string },
  root: string,
): Diagnostic {
  return {
    code: 'TG1014',
    severity: 'warning',
    message: `With ${says}, tsc does not find \`@toolgen/runtime/codegen/v1\`, which generated code imports.`,
    location: { file: relativePath(root, tsconfig), line: 1, column: 1 },
    next: 'Write `"module": "NodeNext"` in `compilerOptions`, or `"moduleResolution": "Bundler"` where a bundler reads the code.',
  }
}
