import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { FileSystemHost, ts } from 'ts-morph'
import { type Probes, probeDisk } from '../cache.js'
import { foldersUpFrom } from '../files.js'
import { loadCompiler } from '../load/compiler.js'
import { findTsconfigError, type TsconfigError } from '../load/tsconfig.js'
import { TypeReader } from './type-reader.js'

/** The inputs of all programs of a project. */
export interface ProgramRequest {
  /** The project's root: absolute. */
  readonly root: string
  /** The user's tsconfig: absolute; absent: `tsconfig.json` of the root if there is one. */
  readonly tsconfig?: string
  /** The modules of the service clients, relative to the root. */
  readonly modules: readonly string[]
}

/** The client modules with all that they import, from which programs are made. */
export interface OpenProject {
  /**
   * Returns a program over the client modules and the generated types.
   *
   * @param generated the text of the module with the generated types
   * @param earlier a program of the same run, whose numbers of types stay valid
   */
  readonly program: (generated: string, earlier?: OpenProgram) => OpenProgram
  /** A tsconfig with old module resolution, and its setting: see {@link oldResolution}. */
  readonly old?: { readonly tsconfig: string; readonly says: string }
  /** Returns the questions to the file system up to now. */
  readonly probes: () => Probes
}

/** The reason why no project could be opened, and the questions to the file system before. */
export interface UnopenedProject extends Pick<OpenProject, 'probes'> {
  readonly error: TsconfigError
}

/** One program over the client modules and the generated types. */
export interface OpenProgram {
  readonly reader: TypeReader
  /** Returns a client module by its path relative to the root; undefined where there is no such file. */
  readonly moduleFile: (module: string) => ts.SourceFile | undefined
  /** Returns a type of the generated module. */
  readonly generatedType: (name: string) => ts.Type
}

/** Returns the user's tsconfig; undefined where no such file exists. */
export function tsconfigOf({ root, tsconfig }: Pick<ProgramRequest, 'root' | 'tsconfig'>): string | undefined {
  const path = tsconfig ?? join(root, 'tsconfig.json')
  return existsSync(path) ? path : undefined
}

/**
 * Loads the compiler and opens a project; files that it has read it does not read again for a further program. Type
 * roots and libraries are the user's: with less of either, parts of a client's types would silently become `any`.
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
  // Before TypeScript 6 every package of @types was included; a client's types may rely on it.
  if (options.types === undefined) project.compilerOptions.set({ types: ['*'] })
  const sources = new Map(
    request.modules.map((module) => [module, project.addSourceFileAtPathIfExists(join(root, module))]),
  )
  // A new file of the tsconfig decides nothing here, a new package of types does.
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

/** Wraps a file system so that a later run can ask the same questions again. Questions about `ignored` are not kept. */
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
 * Returns the setting by which tsc would find no entry that `exports` of a package.json declare: generated code imports
 * such entries. `undefined` where tsc finds them, and where the compiler of the project is not known.
 *
 * @param options of the user's tsconfig, without defaults
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

/** Before TypeScript 6, every `module` but those of Node.js resolved as Node.js 10 did, or worse. */
function hasOldDefaults(root: string): boolean {
  const require = createRequire(join(root, 'package.json'))
  try {
    const { version }: { readonly version: string } = require('typescript/package.json')
    return Number.parseInt(version, 10) < 6
  } catch {
    return false
  }
}
