import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { FileSystemHost, ts } from 'ts-morph'
import { type Probes, probeDisk } from '../cache.js'
import { foldersUpFrom } from '../files.js'
import { findTsconfigError, loadCompiler, type TsconfigError } from '../load/tsconfig.js'
import { TypeReader } from './type-reader.js'

export interface ProgramRequest {
  /** Absolute path of the project. */
  readonly root: string
  /** Absolute path of the user's tsconfig. Default: `tsconfig.json` of the project if it exists. */
  readonly tsconfig?: string
  /** Modules of the service clients, relative to the project. */
  readonly modules: readonly string[]
}

/** The client modules with everything that they import. */
export interface OpenProject {
  /**
   * Creates a program with the client modules and the generated types.
   *
   * @param generated text of the module with the generated types
   * @param earlier a program of the same run, whose type numbers stay valid
   */
  readonly program: (generated: string, earlier?: OpenProgram) => OpenProgram
  /** Path of the tsconfig and its setting, if it selects an old module resolution. See {@link oldResolution}. */
  readonly old?: { readonly tsconfig: string; readonly says: string }
  /** Returns the file system queries that were made so far. Repeating them shows whether a file has changed. */
  readonly probes: () => Probes
}

/** Error that prevented the project from being opened, and the file system queries until then. */
export interface UnopenedProject extends Pick<OpenProject, 'probes'> {
  readonly error: TsconfigError
}

/** A program with the client modules and the generated types. */
export interface OpenProgram {
  readonly reader: TypeReader
  /** Returns a client module by its path relative to the project; `undefined` if it does not exist. */
  readonly moduleFile: (module: string) => ts.SourceFile | undefined
  /** Returns a type of the generated module. */
  readonly generatedType: (name: string) => ts.Type
}

/** Returns the user's tsconfig; `undefined` if it does not exist. */
export function tsconfigOf({ root, tsconfig }: Pick<ProgramRequest, 'root' | 'tsconfig'>): string | undefined {
  const path = tsconfig ?? join(root, 'tsconfig.json')
  return existsSync(path) ? path : undefined
}

/**
 * Loads the compiler and opens a project. Further programs reuse the files that were read. Uses the type roots and libraries of
 * the user, because without them parts of a client's types would silently become `any`.
 */
export function openProject(request: ProgramRequest): OpenProject | UnopenedProject {
  const { Project, ts } = loadCompiler()
  const { root } = request
  const tsConfigFilePath = tsconfigOf(request)
  const generatedPath = join(root, '~toolgen-types.mts')
  const error = tsConfigFilePath === undefined ? undefined : findTsconfigError(ts, tsConfigFilePath)
  if (error !== undefined) {
    const probes: Probes = error.read.map((file) => ['read', file, probeDisk('read', file)])
    return { error, probes: () => probes }
  }
  const files = probedFiles(new Project({ skipLoadingLibFiles: true }).getFileSystem(), generatedPath)
  const project = new Project({
    fileSystem: files.host,
    ...(tsConfigFilePath !== undefined && { tsConfigFilePath }),
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    compilerOptions: { strictNullChecks: true, exactOptionalPropertyTypes: true, skipLibCheck: true, noEmit: true },
  })
  const options = project.compilerOptions.get()
  const says = tsConfigFilePath === undefined ? undefined : oldResolution(options, root, ts)
  if (tsConfigFilePath === undefined) {
    const { ModuleKind, ModuleResolutionKind, ScriptTarget } = ts
    project.compilerOptions.set({
      strict: true,
      target: ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts'],
      module: ModuleKind.NodeNext,
      moduleResolution: ModuleResolutionKind.NodeNext,
      typeRoots: foldersUpFrom(root).map((folder) => join(folder, 'node_modules/@types')),
    })
  }
  // Before TypeScript 6, all `@types` packages were included by default; client types may rely on them.
  if (options.types === undefined) project.compilerOptions.set({ types: ['*'] })
  const sources = new Map(
    request.modules.map((module) => [module, project.addSourceFileAtPathIfExists(join(root, module))]),
  )
  // New files in the project do not change the types of the clients, but new `@types` packages do.
  const typeRoots = ts.getEffectiveTypeRoots(project.compilerOptions.get(), { getCurrentDirectory: () => root }) ?? []
  const isInTypeRoot = (path: string): boolean => typeRoots.some((typeRoot) => path.startsWith(typeRoot))
  return {
    ...(tsConfigFilePath !== undefined && says !== undefined && { old: { tsconfig: tsConfigFilePath, says } }),
    probes: () => files.probes().filter(([kind, path]) => kind !== 'list' || isInTypeRoot(path)),
    program(generated, earlier) {
      const file = project.createSourceFile(generatedPath, generated, { overwrite: true })
      const program = project.getProgram().compilerObject
      const reader = new TypeReader(ts, program, earlier?.reader)
      const source = program.getSourceFile(file.getFilePath())
      const symbol = source && reader.checker.getSymbolAtLocation(source)
      const exported = symbol === undefined ? [] : reader.checker.getExportsOfModule(symbol)
      const types = new Map(exported.map((each) => [each.name, each]))
      return {
        reader,
        moduleFile: (module) => program.getSourceFile(sources.get(module)?.getFilePath() ?? ''),
        generatedType: (name) => {
          const type = types.get(name)
          if (type === undefined) throw new Error(`The generated types have no '${name}'.`)
          return reader.checker.getDeclaredTypeOfSymbol(type)
        },
      }
    },
  }
}

const probingMethods: ReadonlyMap<unknown, Probes[number][0]> = new Map<keyof FileSystemHost, Probes[number][0]>([
  ['readFileSync', 'read'],
  ['fileExistsSync', 'file'],
  ['directoryExistsSync', 'directory'],
  ['readDirSync', 'list'],
  ['realpathSync', 'real'],
])

/** Wraps a file system to record its queries, so that a later run can repeat them. Does not record queries about `ignored`. */
function probedFiles(
  host: FileSystemHost,
  ignored: string,
): { readonly host: FileSystemHost; readonly probes: () => Probes } {
  const probes = new Map<string, Probes[number]>()
  const probed = new Proxy(host, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      const kind = probingMethods.get(name)
      if (typeof value !== 'function') return value
      if (kind === undefined) return value.bind(target)
      return (path: string, ...more: readonly unknown[]): unknown => {
        const key = `${kind} ${path}`
        if (path !== ignored && !probes.has(key)) probes.set(key, [kind, path, probeDisk(kind, path)])
        return value.call(target, path, ...more)
      }
    },
  })
  return {
    host: probed,
    probes: () => [...probes.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, probe]) => probe),
  }
}

/**
 * Returns the setting that makes tsc ignore `exports` in package.json, which generated code needs. Returns `undefined` if tsc
 * reads `exports`, or if the project's compiler is unknown.
 *
 * @param options compiler options of the user's tsconfig, without defaults
 */
function oldResolution(options: ts.CompilerOptions, root: string, compiler: typeof ts): string | undefined {
  const { ModuleKind, ModuleResolutionKind } = compiler
  const { module, moduleResolution } = options
  if (moduleResolution === ModuleResolutionKind.Classic) return '"moduleResolution": "classic"'
  if (moduleResolution === ModuleResolutionKind.Node10) return '"moduleResolution": "node10"'
  const isModern = module !== undefined && (module >= ModuleKind.Node16 || module === ModuleKind.Preserve)
  if (moduleResolution !== undefined || isModern || !hasOldDefaults(root)) return undefined
  return module === undefined ? 'no "module"' : `"module": "${ModuleKind[module].toLowerCase()}"`
}

/** Checks for TypeScript before 6, in which `module` defaulted to the module resolution of Node.js 10 or older. */
function hasOldDefaults(root: string): boolean {
  const require = createRequire(join(root, 'package.json'))
  try {
    const { version }: { readonly version: string } = require('typescript/package.json')
    return Number.parseInt(version, 10) < 6
  } catch {
    return false
  }
}
