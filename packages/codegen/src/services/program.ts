import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, sep } from 'node:path'
import type { ts } from 'ts-morph'
import { type Probes, probeDisk } from '../cache.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { foldersUpFrom, readText, tsconfigFiles } from '../files.js'
import { libraryTexts, loadCompiler, oldResolutionDiagnostic, readTsconfig, TsconfigError } from '../load/tsconfig.js'
import { TypeReader } from './type-reader.js'

export interface ProgramRequest {
  readonly root: string
  readonly tsconfig?: string
  readonly modules: readonly string[]
}

export interface OpenProject {
  /** The numbers of the types in `earlier` stay valid (see `numberOf` of `TypeReader`). */
  readonly program: (generated: string, earlier?: OpenProgram) => OpenProgram
  /** Set if the tsconfig selects an old module resolution. `says` is the setting as text, such as `"moduleResolution": "node10"`. */
  readonly old?: { readonly tsconfig: string; readonly says: string }
  /** Returns the file system checks of the compiler, such as whether a file exists, with their results. A different result means a change. */
  readonly probes: () => Probes
}

export interface UnopenedProject extends Pick<OpenProject, 'probes'> {
  readonly error: TsconfigError
}

export interface OpenProgram {
  readonly reader: TypeReader
  readonly moduleFile: (module: string) => ts.SourceFile | undefined
  readonly generatedType: (name: string) => ts.Type
}

export function tsconfigOf({ root, tsconfig }: Pick<ProgramRequest, 'root' | 'tsconfig'>): string | undefined {
  const path = tsconfig ?? join(root, 'tsconfig.json')
  return existsSync(path) ? path : undefined
}

/**
 * Uses the type packages and libraries from the user's tsconfig, because parts of a client's type would silently become `any` without these packages
 * and libraries.
 */
export function openProject(request: ProgramRequest): OpenProject | UnopenedProject {
  const ts = loadCompiler()
  const { root, modules } = request
  const tsconfig = tsconfigOf(request)
  const config = tsconfig === undefined ? undefined : readTsconfig(ts, tsconfig)
  const configProbes = (config?.read ?? []).map((file) => ['read', file, probeDisk('read', file)] as const)
  if (config instanceof TsconfigError) return { error: config, probes: () => configProbes }
  const { ModuleKind, ModuleResolutionKind, ScriptTarget } = ts
  const options: ts.CompilerOptions = {
    ...(config?.options ?? {
      strict: true,
      target: ScriptTarget.ES2022,
      lib: ['lib.es2022.d.ts'],
      module: ModuleKind.NodeNext,
      moduleResolution: ModuleResolutionKind.NodeNext,
      typeRoots: foldersUpFrom(root).map((folder) => join(folder, 'node_modules/@types')),
    }),
    // Before TypeScript 6, all `@types` packages were included by default; client types may rely on them.
    types: config?.options.types ?? ['*'],
    strictNullChecks: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
  }
  const says = config && oldResolution(config.options, root, ts)
  const pathOf = (module: string): string => join(root, module).split(sep).join('/')
  const generatedPath = pathOf('~toolgen-types.mts')
  const rootNames = [...modules.map(pathOf), generatedPath]
  const { host, parsed, parse, probes } = openHost(ts, root, options)
  // New files in the project do not change the types of the clients, but new `@types` packages do.
  const typeRoots = ts.getEffectiveTypeRoots(options, { getCurrentDirectory: () => root }) ?? []
  const isInTypeRoot = (path: string): boolean => typeRoots.some((typeRoot) => path.startsWith(typeRoot))
  let latest: ts.Program | undefined
  return {
    ...(tsconfig !== undefined && says !== undefined && { old: { tsconfig, says } }),
    probes: () => [...configProbes, ...probes().filter(([kind, path]) => kind !== 'list' || isInTypeRoot(path))],
    program(generated, earlier) {
      parsed.set(generatedPath, parse(generatedPath, generated))
      const program = ts.createProgram(rootNames, options, host, latest)
      latest = program
      const reader = new TypeReader(ts, program, earlier?.reader)
      const source = program.getSourceFile(generatedPath)
      const symbol = source && reader.checker.getSymbolAtLocation(source)
      const exported = symbol === undefined ? [] : reader.checker.getExportsOfModule(symbol)
      const types = new Map(exported.map((each) => [each.name, each]))
      return {
        reader,
        moduleFile: (module) => program.getSourceFile(pathOf(module)),
        generatedType: (name) => {
          const type = types.get(name)
          if (type === undefined) throw new Error(`The generated types have no '${name}'.`)
          return reader.checker.getDeclaredTypeOfSymbol(type)
        },
      }
    },
  }
}

interface OpenHost extends Pick<OpenProject, 'probes'> {
  readonly host: ts.CompilerHost
  readonly parsed: Map<string, ts.SourceFile | undefined>
  readonly parse: (path: string, text: string) => ts.SourceFile
}

/** Virtual folder. The texts of the libraries are in the package of the compiler. */
const libraries = '/ts-morph/lib'

/**
 * By language version and path. All programs of this process share these files, because parsing declaration files is slow. Of all compiler options,
 * only the language version affects the files.
 */
const sharedFiles = new Map<string, ts.SourceFile>()

const isShared = (path: string): boolean =>
  /\.d\.[cm]?ts$/.test(path) && (dirname(path) === libraries || path.includes('/node_modules/'))

/** More than half of the text of a library is comments, which are slow to parse. No string of a library contains a comment. */
export function withoutComments(library: string | undefined): string | undefined {
  return library?.replaceAll(/\/\*.*?\*\//gs, '')
}

/**
 * Records all files that the compiler reads or searches for, so that a later run of the generator can check whether these files have changed. Skips
 * comments that types do not need, because half of the libraries' text is comments.
 */
function openHost(compiler: typeof ts, root: string, options: ts.CompilerOptions): OpenHost {
  const { sys, JSDocParsingMode, ScriptTarget } = compiler
  const texts = libraryTexts()
  const probes = new Map<string, Probes[number]>()
  const probed =
    <Answer>(kind: Probes[number][0], query: (path: string) => Answer) =>
    (path: string): Answer => {
      const key = `${kind} ${path}`
      if (!probes.has(key)) probes.set(key, [kind, path, probeDisk(kind, path)])
      return query(path)
    }
  const parsed: OpenHost['parsed'] = new Map()
  const form = {
    languageVersion: options.target ?? ScriptTarget.Latest,
    jsDocParsingMode: JSDocParsingMode.ParseForTypeInfo,
  }
  const parse: OpenHost['parse'] = (path, text) => compiler.createSourceFile(path, text, form)
  const parseOnce: OpenHost['parse'] = (path, text) => {
    const key = `${form.languageVersion} ${path}`
    const shared = sharedFiles.get(key)
    const file = shared?.text === text ? shared : parse(path, text)
    sharedFiles.set(key, file)
    return file
  }
  const readFile = probed('read', (path) => sys.readFile(path))
  const host: ts.CompilerHost = {
    readFile,
    fileExists: probed('file', sys.fileExists),
    directoryExists: probed('directory', sys.directoryExists),
    getDirectories: probed('list', sys.getDirectories),
    realpath: probed('real', (path) => sys.realpath?.(path) ?? path),
    getSourceFile(path) {
      if (!parsed.has(path)) {
        const text = dirname(path) === libraries ? withoutComments(texts.get(basename(path))) : readFile(path)
        parsed.set(path, text === undefined ? undefined : isShared(path) ? parseOnce(path, text) : parse(path, text))
      }
      return parsed.get(path)
    },
    getDefaultLibFileName: (of) => `${libraries}/${compiler.getDefaultLibFileName(of)}`,
    getDefaultLibLocation: () => libraries,
    getCurrentDirectory: () => root,
    getCanonicalFileName: (path) => path,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    writeFile: () => {},
  }
  return {
    host,
    parsed,
    parse,
    probes: () => [...probes.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, probe]) => probe),
  }
}

/**
 * With an old module resolution, tsc ignores `exports` in package.json, and does not find the runtime. `options` are the options of the user's
 * tsconfig, without defaults.
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

/** Loads the compiler only if the texts of the tsconfig and of the files that it extends may select an old module resolution. */
export function resolutionDiagnostics(
  tsconfig: string,
  root: string,
): { readonly diagnostics: readonly Diagnostic[]; readonly read: readonly string[] } {
  const text = readText(tsconfig)
  if (modern.test(text) || !(hasOldDefaults(root) || /"(?:extends|moduleResolution)"/.test(text))) {
    return { diagnostics: [], read: [tsconfig] }
  }
  const files = tsconfigFiles(tsconfig) ?? []
  if (areModern(files.map(readText))) return { diagnostics: [], read: files }
  const compiler = loadCompiler()
  const config = readTsconfig(compiler, tsconfig)
  const says = config instanceof TsconfigError ? undefined : oldResolution(config.options, root, compiler)
  return {
    diagnostics: says === undefined ? [] : [oldResolutionDiagnostic({ tsconfig, says }, root)],
    read: config.read,
  }
}

const modern = /"(?:node1[68]|node20|nodenext|bundler|preserve)"/i

const extendsPackage = /"extends"\s*:\s*(?:\[(?:\s*"[^"]*"\s*,)*\s*)?"[^./]/

/** Returns false if the tsconfigs have different settings, because `extends` determines which of them applies. */
function areModern(texts: readonly string[]): boolean {
  const text = texts.join('\n')
  const [resolutions = [], modules = []] = [/"moduleResolution"\s*:\s*("[^"]*")/g, /"module"\s*:\s*("[^"]*")/g].map(
    (setting) => [...text.matchAll(setting)].map(([, value = '']) => value),
  )
  const values = resolutions.length > 0 ? resolutions : modules
  return values.length > 0 && values.every((value) => modern.test(value)) && !extendsPackage.test(text)
}

/** By default, TypeScript versions before 6 use the module resolution of Node.js 10 or older. */
function hasOldDefaults(root: string): boolean {
  const require = createRequire(join(root, 'package.json'))
  try {
    const { version }: { readonly version: string } = require('typescript/package.json')
    return Number.parseInt(version, 10) < 6
  } catch {
    return false
  }
}
