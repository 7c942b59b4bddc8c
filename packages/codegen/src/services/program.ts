import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { ts } from 'ts-morph'
import type { ClientRef, DesignIr, Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { loadCompiler } from '../load/compiler.js'
import { type TsconfigFault, tsconfigFault } from '../load/tsconfig.js'
import { shapeOf } from '../schema/shape.js'
import { declarationText } from '../schema/type-text.js'
import { type Probes, probeDisk, probedFiles } from './cache.js'
import type { ServiceCode } from './match.js'
import { nearestNames } from './match-fields.js'
import { isUnresolved, type TypeReader } from './types.js'

/** Common parameters of all programs of a project. */
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
  /** File system accesses so far. */
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

/** The types of a bound tool, by the names they have in the text of {@link GeneratedTypes}. */
interface GeneratedTypeNames {
  readonly payload: string
  readonly result: string
  /** There where the tool streams. */
  readonly update?: string
}

/** A module with the types that the generated code will have, for the checker to compare with the client's. */
export interface GeneratedTypes {
  readonly text: string
  /** By tool id. */
  readonly names: ReadonlyMap<string, GeneratedTypeNames>
}

/**
 * Writes the types of tools that are bound to a service.
 *
 * @param bound the ids of the tools
 */
export function generatedTypes(ir: DesignIr, bound: ReadonlySet<string>): GeneratedTypes {
  const names = new Map<string, GeneratedTypeNames>()
  const lines: string[] = []
  for (const toolset of ir.toolsets) {
    const tools = toolset.tools.filter(({ id }) => bound.has(id))
    if (tools.length === 0) continue
    lines.push(...definitionLines(toolset))
    for (const tool of tools) lines.push(...toolLines(tool, toolset, names))
  }
  return { text: `${lines.join('\n')}\nexport {}\n`, names }
}

function nameIn(toolset: ToolsetIr, form: 'sent' | 'read'): (definition: string) => string {
  const known = new Map(Object.keys(toolset.defs).map((name, at) => [name, at]))
  const stem = stemOf(toolset.name)
  return (definition) => `D${stem}_${known.get(definition) ?? 'x'}_${form}`
}

function definitionLines(toolset: ToolsetIr): readonly string[] {
  return Object.entries(toolset.defs).flatMap(([name, schema]) =>
    (['sent', 'read'] as const).map((form) => {
      const nameOf = nameIn(toolset, form)
      return declarationText(nameOf(name), shapeOf(schema, toolset.defs), { form, nameOf })
    }),
  )
}

function toolLines(tool: ToolIr, toolset: ToolsetIr, names: Map<string, GeneratedTypeNames>): readonly string[] {
  const stem = stemOf(tool.id)
  const [payload, result, update] = [`P${stem}`, `R${stem}`, `U${stem}`]
  names.set(tool.id, { payload, result, ...(tool.updates === undefined ? {} : { update }) })
  const declaration = (name: string, schema: Schema, form: 'sent' | 'read'): string =>
    declarationText(name, shapeOf(schema, toolset.defs), { form, nameOf: nameIn(toolset, form) })
  return [
    declaration(payload, tool.payload, 'read'),
    declaration(result, tool.result, 'sent'),
    ...(tool.updates === undefined ? [] : [declaration(update, tool.updates, 'sent')]),
  ]
}

/** A name's part of an identifier; it does not depend on what else is in the design. */
function stemOf(name: string): string {
  return createHash('sha256').update(name).digest('hex').slice(0, 16)
}

/**
 * Returns the module resolution of a tsconfig that does not find entries declared by `exports` in a package.json,
 * which generated code imports; `undefined` if it finds them or the project's compiler is unknown.
 *
 * @param options options of the user's tsconfig, without defaults
 * @param root absolute root of the project
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

/** Why a client's type is not known. */
export interface ClientFault {
  readonly code: ServiceCode & ('TG4001' | 'TG4002' | 'TG4003' | 'TG4004')
  readonly message: string
  readonly near?: readonly string[]
  /** Position in the client module. */
  readonly node?: { readonly file: ts.SourceFile; readonly start: number }
}

/** Messages of the compiler that say that a name or a module does not exist. */
const missingNames: ReadonlySet<number> = new Set([2304, 2305, 2306, 2307, 2339, 2503, 2552, 2614, 2694, 2724, 7016])

/** The type behind an exported `serviceClient<Client>()`, read off its phantom property. */
export function findClient(
  ref: ClientRef,
  { reader, moduleFile }: OpenProgram,
): { readonly type: ts.Type } | { readonly faults: readonly ClientFault[] } {
  const file = moduleFile(ref.module)
  if (file === undefined) return fault('TG4001', `there is no module \`${ref.module}\``)
  const found = exportedType(file, ref.path, reader)
  if ('message' in found) return { faults: [found] }
  const phantom = reader.checker.getPropertyOfType(reader.checker.getNonNullableType(found.type), '~client')
  if (phantom === undefined) {
    const unresolved = unresolvedNames(file, reader)
    if (unresolved.length > 0) return { faults: unresolved }
    return fault('TG4001', `\`${ref.path.join('.')}\` of \`${ref.module}\` is no service client`)
  }
  const type = reader.checker.getNonNullableType(reader.checker.getTypeOfSymbol(phantom))
  const isOpen =
    (type.flags & (reader.ts.TypeFlags.Any | reader.ts.TypeFlags.Unknown | reader.ts.TypeFlags.Never)) !== 0
  if (isUnresolved(type, reader) || isOpen) {
    const unresolved = unresolvedNames(file, reader)
    if (unresolved.length > 0) return { faults: unresolved }
    if (isUnresolved(type, reader)) {
      return fault('TG4003', `the type of \`${ref.path.join('.')}\` cannot be resolved`)
    }
  }
  const isEmpty = reader.checker.getPropertiesOfType(type).length === 0
  if (isOpen || isEmpty) {
    return fault(
      'TG4004',
      `the type of \`${ref.path.join('.')}\` is ${reader.checker.typeToString(type)}, which has no methods`,
    )
  }
  return { type }
}

function fault(code: ClientFault['code'], message: string): { readonly faults: readonly ClientFault[] } {
  return { faults: [{ code, message }] }
}

/** Walks from the module along the exported names. */
function exportedType(
  file: ts.SourceFile,
  path: readonly string[],
  { checker, ts }: TypeReader,
): { readonly type: ts.Type } | ClientFault {
  const symbol = checker.getSymbolAtLocation(file)
  const [name = '', ...rest] = path
  const exported = symbol === undefined ? [] : checker.getExportsOfModule(symbol)
  const found = exported.find((each) => each.name === name)
  if (found === undefined) {
    const near = nearestNames(
      name,
      exported.map((each) => each.name),
    )
    return { code: 'TG4001', message: `the client's module does not export \`${name}\``, near }
  }
  const target = (found.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(found) : found
  let type = checker.getTypeOfSymbol(target)
  for (const step of rest) {
    const property = checker.getPropertyOfType(type, step)
    if (property === undefined)
      return { code: 'TG4001', message: `\`${name}\` of the client's module has no \`${step}\`` }
    type = checker.getTypeOfSymbol(property)
  }
  return { type }
}

/** Returns errors for names in the client module that do not exist. */
function unresolvedNames(file: ts.SourceFile, { program, ts }: TypeReader): readonly ClientFault[] {
  return program
    .getSemanticDiagnostics(file)
    .filter(({ code }) => missingNames.has(code))
    .map((diagnostic) => ({
      code: 'TG4002',
      message: ts.flattenDiagnosticMessageText(diagnostic.messageText, ' ').replace(/\s+/g, ' '),
      node: { file, start: diagnostic.start ?? 0 },
    }))
}
