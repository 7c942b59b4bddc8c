import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type ts from 'typescript'

const load = createRequire(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))

/** Compilers that generated code must support, with their packages. */
const compilers = { '5.9': 'typescript', '6.0': 'typescript-6', '7.0': 'typescript-7' } as const

export type CompilerVersion = keyof typeof compilers

/** The result of a compiler. */
export interface Compiled {
  readonly code: number | null
  readonly stdout: string
}

/**
 * Runs a version of TypeScript in a folder, with the arguments of the command `tsc`.
 *
 * TypeScript 7.0 is a native program, so it runs in a process. It takes the least CPU time, in one thread: several threads repeat work. TypeScript
 * 5.9 and 6.0 run in this thread and share work between projects: they parse the declarations of installed packages only once, and check the
 * declarations of our packages once for each set of compiler options. They do not check the declarations of other packages; TypeScript 7.0 does.
 */
export function tsc(version: CompilerVersion, cwd: string, ...args: readonly string[]): Compiled {
  if (version !== '7.0') return compile(load(compilers[version]), cwd, args)
  const compiler = join(root, 'node_modules', compilers[version], 'bin/tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, '--singleThreaded', ...args], {
    cwd,
    encoding: 'utf8',
  })
  return { code: status, stdout }
}

function compile(compiler: typeof ts, cwd: string, args: readonly string[]): Compiled {
  const { options: flags, errors } = compiler.parseCommandLine(args)
  for (const name of ['outDir', 'rootDir'] as const)
    if (flags[name] !== undefined) flags[name] = resolve(cwd, flags[name])
  const folder = resolve(cwd, flags.project ?? '.')
  const file = compiler.sys.directoryExists(folder) ? join(folder, 'tsconfig.json') : folder
  const parsed = compiler.getParsedCommandLineOfConfigFile(file, flags, {
    ...compiler.sys,
    getCurrentDirectory: () => cwd,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => void errors.push(diagnostic),
  })
  const { fileNames: rootNames = [], options = {} } = parsed ?? {}
  const host: ts.CompilerHost = { ...compiler.createCompilerHost(options), getCurrentDirectory: () => cwd }
  // The same setting as in the command.
  host.jsDocParsingMode = compiler.JSDocParsingMode.ParseForTypeErrors
  const installed = installedFiles(compiler, options)
  const { getSourceFile } = host
  host.getSourceFile = (path, ...how) => installed.read(path, how[0], () => getSourceFile(path, ...how))
  const program = compiler.createProgram({ rootNames, options, host })

  const found = [...errors, ...(parsed?.errors ?? [])]
  found.push(...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics())
  for (const source of program.getSourceFiles()) {
    if (installed.isChecked(source)) continue
    const faults = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)]
    if (options.declaration === true) faults.push(...program.getDeclarationDiagnostics(source))
    if (faults.length === 0) installed.setChecked(source)
    found.push(...faults)
  }
  if (options.noEmit !== true) found.push(...program.emit().diagnostics)
  const stdout = compiler.formatDiagnostics(compiler.sortAndDeduplicateDiagnostics(found), host)
  return { code: found.length === 0 ? 0 : 2, stdout }
}

interface InstalledFiles {
  /** Returns a parsed file, from earlier projects if it belongs to an installed package. */
  read(path: string, parsing: unknown, parse: () => ts.SourceFile | undefined): ts.SourceFile | undefined
  /** Returns true if a file belongs to a third-party package, or if an earlier project found no error in this file of our packages. */
  isChecked(file: ts.SourceFile): boolean
  setChecked(file: ts.SourceFile): void
}

const parsedFiles = new Map<string, ts.SourceFile>()
const checkedFiles = new Set<string>()

/** Compiler options that do not change the errors of a declaration file. */
const outputOptions: readonly string[] = [
  ...['allowImportingTsExtensions', 'configFilePath', 'declaration', 'isolatedDeclarations', 'noEmit', 'outDir'],
  ...['pathsBasePath', 'project', 'rewriteRelativeImportExtensions', 'rootDir', 'skipLibCheck'],
]

function installedFiles(compiler: typeof ts, options: ts.CompilerOptions): InstalledFiles {
  const settings = Object.entries(options)
    .filter(([name]) => !outputOptions.includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1))
  const keyOf = (path: string): string => JSON.stringify([compiler.version, settings, path])
  const isOfOthers = (path: string): boolean => path.startsWith(root) && /\/node_modules\/.*\.d\.[cm]?ts$/.test(path)
  const isInstalled = (path: string): boolean =>
    isOfOthers(path) || (path.startsWith(root) && /\/packages\/\w+\/dist\/.*\.d\.[cm]?ts$/.test(path))
  return {
    read(path, parsing, parse) {
      if (!isInstalled(path)) return parse()
      // Only these options change how a declaration file is parsed and bound.
      const key = JSON.stringify([compiler.version, path, parsing, statSync(path).mtimeMs])
      const file = parsedFiles.get(key) ?? parse()
      if (file !== undefined) parsedFiles.set(key, file)
      return file
    },
    isChecked: ({ fileName }) => isOfOthers(fileName) || checkedFiles.has(keyOf(fileName)),
    setChecked({ fileName }) {
      if (options.skipLibCheck !== true && isInstalled(fileName)) checkedFiles.add(keyOf(fileName))
    },
  }
}
