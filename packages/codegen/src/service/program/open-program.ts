import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ts } from 'ts-morph'
import { loadCompiler } from '../../compiler/load-compiler.js'
import { type TsconfigFault, tsconfigFault } from '../../evaluate/tsconfig-fault.js'
import type { Probes } from '../cache/cache.js'
import { probeDisk, probedFiles } from '../cache/probed-files.js'
import type { TypeReader } from '../types/type-reader.js'
import { oldResolution } from './old-resolution.js'

/** What the programs of a project have in common. */
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
   * The program over the client modules and the generated types.
   *
   * @param generated the text of the module with the generated types
   * @param after a program of the same run, which numbered types already
   */
  readonly program: (generated: string, after?: OpenProgram) => OpenProgram
  /** See {@link oldResolution}: with the tsconfig that says so. */
  readonly old?: { readonly tsconfig: string; readonly says: string }
  /** What was asked of the file system up to now. */
  readonly probes: () => Probes
}

/** Why no project could be opened, and what was asked of the file system before. */
export interface UnopenedProject extends Pick<OpenProject, 'probes'> {
  readonly fault: TsconfigFault
}

/** One program over the client modules and the generated types. */
export interface OpenProgram {
  readonly reader: TypeReader
  /** A client module by its path relative to the root; undefined where there is no such file. */
  readonly moduleFile: (module: string) => ts.SourceFile | undefined
  /** A type of the generated module. */
  readonly generatedType: (name: string) => ts.Type
}

/** The user's tsconfig as `ProgramRequest` says; undefined where there is none. */
export function tsconfigOf({ root, tsconfig }: Pick<ProgramRequest, 'root' | 'tsconfig'>): string | undefined {
  const path = tsconfig ?? join(root, 'tsconfig.json')
  return existsSync(path) ? path : undefined
}

/**
 * Loads the compiler and opens a project; what it has read it does not read again for a further program. Type lists and
 * libraries are the user's: with less of either, parts of a client's types would silently become `any`.
 */
export async function openProject(request: ProgramRequest): Promise<OpenProject | UnopenedProject> {
  const { Project, ts } = loadCompiler()
  const tsConfigFilePath = tsconfigOf(request)
  const generatedPath = join(request.root, '~toolgen-types.mts')
  const fault = tsConfigFilePath === undefined ? undefined : tsconfigFault(ts, tsConfigFilePath)
  if (fault !== undefined) {
    const probes: Probes = fault.read.map((file) => ['read', file, probeDisk('read', file)])
    return { fault, probes: () => probes }
  }
  const files = probedFiles(new Project({ skipLoadingLibFiles: true }).getFileSystem(), probeDisk, generatedPath)
  const project = new Project({
    fileSystem: files.host,
    ...(tsConfigFilePath === undefined ? {} : { tsConfigFilePath }),
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    compilerOptions: { strictNullChecks: true, exactOptionalPropertyTypes: true, skipLibCheck: true, noEmit: true },
  })
  const options = project.compilerOptions.get()
  const says = tsConfigFilePath === undefined ? undefined : oldResolution(options, request.root, ts)
  if (tsConfigFilePath === undefined) {
    const { ModuleKind, ModuleResolutionKind, ScriptTarget } = ts
    project.compilerOptions.set({
      strict: true,
      target: ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts'],
      module: ModuleKind.NodeNext,
      moduleResolution: ModuleResolutionKind.NodeNext,
      typeRoots: typeRootsOf(request.root),
    })
  }
  // Before TypeScript 6 every package of @types was included; a client's types may rely on it.
  if (options.types === undefined) project.compilerOptions.set({ types: ['*'] })
  const sources = new Map(
    request.modules.map((module) => [module, project.addSourceFileAtPathIfExists(join(request.root, module))]),
  )
  // A tsconfig's own files are listed to no purpose here: a new one decides nothing. A new package of types does.
  const typeRoots =
    ts.getEffectiveTypeRoots(project.compilerOptions.get(), { getCurrentDirectory: () => request.root }) ?? []
  const isInTypeRoot = (path: string): boolean => typeRoots.some((typeRoot) => path.startsWith(typeRoot))
  return {
    ...(tsConfigFilePath !== undefined && says !== undefined && { old: { tsconfig: tsConfigFilePath, says } }),
    probes: () => files.probes().filter(([kind, path]) => kind !== 'list' || isInTypeRoot(path)),
    program(generated, after) {
      const file = project.createSourceFile(generatedPath, generated, { overwrite: true })
      const program = project.getProgram().compilerObject
      const checker = program.getTypeChecker()
      const types = exportedTypes(program.getSourceFile(file.getFilePath()), checker)
      return {
        reader: { ts, program, checker, numberOf: after?.reader.numberOf ?? numbering() },
        moduleFile: (module) => program.getSourceFile(sources.get(module)?.getFilePath() ?? ''),
        generatedType: (name) => {
          const symbol = types.get(name)
          if (symbol === undefined) throw new Error(`The generated types have no '${name}'.`)
          return checker.getDeclaredTypeOfSymbol(symbol)
        },
      }
    },
  }
}

function numbering(): (type: ts.Type) => number {
  const numbers = new Map<ts.Type, number>()
  return (type) => {
    const number = numbers.get(type) ?? numbers.size
    numbers.set(type, number)
    return number
  }
}

/** The folders of @types packages of the root and all folders above it. */
function typeRootsOf(root: string): string[] {
  const above = dirname(root)
  return [join(root, 'node_modules/@types'), ...(above === root ? [] : typeRootsOf(above))]
}

function exportedTypes(file: ts.SourceFile | undefined, checker: ts.TypeChecker): ReadonlyMap<string, ts.Symbol> {
  const symbol = file === undefined ? undefined : checker.getSymbolAtLocation(file)
  const exported = symbol === undefined ? [] : checker.getExportsOfModule(symbol)
  return new Map(exported.map((each) => [each.name, each]))
}
