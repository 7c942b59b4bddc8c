import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { isFields } from '../defined.js'
import { type Checked, type Diagnostic, errorAt, type SourceLocation, startOf } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near-names.js'
import { foldersUpFrom, foundAt, isFile, isFolder, readText, relativePath } from '../files.js'
import { loadConfig } from '../load/config.js'
import { evaluateModule } from '../load/evaluate-module.js'
import { findConfig } from '../load/toolgen-config.js'
import type { ProjectOptions } from '../project.js'
import { messageOf } from './installed-runtime.js'

export interface FoundModule {
  readonly file: string
  readonly root: string
}

export function findModule(named: string, cwd: string): Checked<FoundModule> {
  const file = resolve(cwd, named)
  const folder = dirname(file)
  if (isFile(file)) {
    const root = foldersUpFrom(folder).find((parent) => isFile(join(parent, 'package.json'))) ?? folder
    return { value: { file, root }, diagnostics: [] }
  }
  const exists = foundAt(file) !== undefined
  const modules = exists || !isFolder(folder) ? [] : readdirSync(folder).filter((name) => moduleFile.test(name))
  const start = named.slice(0, -basename(file).length)
  const near = nearest(basename(file), modules).map((name) => `${start}${name}`)
  const message = exists ? `\`${named}\` is a folder, not a module.` : `The module \`${named}\` does not exist.`
  const next =
    near[0] === undefined
      ? 'Use the path of a TypeScript or JavaScript module, relative to the working folder of the command.'
      : `Did you mean \`${near[0]}\`?`
  return { diagnostics: [errorAt(undefined, 'TG0016', message, next, near.length > 0 ? { near } : {})] }
}

export async function findToolsModule(
  named: string | undefined,
  project: ProjectOptions,
): Promise<Checked<FoundModule>> {
  const { value: path, diagnostics } = await toolsModulePath(named, project)
  return path === undefined ? { diagnostics } : findModule(path.named, path.cwd)
}

export interface ModulePath {
  readonly named: string
  readonly cwd: string
}

export async function toolsModulePath(
  named: string | undefined,
  project: ProjectOptions,
): Promise<Checked<ModulePath>> {
  const { cwd, config: path, onEvaluate } = project
  if (named !== undefined) return { value: { named, cwd }, diagnostics: [] }
  const next = "Add `module: 'src/tools.ts'` to the configuration, or use the path of a module."
  if (path === undefined && findConfig({ cwd }) === undefined) {
    return { diagnostics: [errorAt(undefined, 'TG0001', 'The module with the tools is missing.', next)] }
  }
  onEvaluate?.('configuration')
  const { value: config, diagnostics } = await loadConfig({ cwd, ...(path !== undefined && { path }) })
  if (config === undefined) return { diagnostics }
  if (config.module !== undefined) return { value: { named: config.module, cwd: config.root }, diagnostics: [] }
  const message = 'The module with the tools is missing, also in the configuration.'
  return { diagnostics: [errorAt(startOf(config.file), 'TG0001', message, next)] }
}

const moduleFile: RegExp = /(?<!\.d)\.[cm]?[jt]s$/

export interface LoadedModule {
  readonly exported: unknown
  readonly name: string
  readonly location: SourceLocation
}

/** `onRead` receives the absolute paths of all files that were read, even after an error. */
export async function loadServed(
  file: string,
  root: string,
  onRead?: (files: readonly string[]) => void,
): Promise<Checked<LoadedModule>> {
  const module = await evaluateModule(file, root, { code: 'TG7001', what: 'module to serve' })
  onRead?.(module.files)
  const { exports, diagnostics } = module
  if (diagnostics.length > 0) return { diagnostics }
  const key = ['tools', 'default'].find((name) => exports.get(name) !== undefined)
  const shown = relativePath(root, file)
  if (key === undefined) {
    const others = exports.size === 0 ? 'It has no exports.' : `It exports: ${[...exports.keys()].join(', ')}.`
    const message = `The module to serve has neither a default export nor an export \`tools\`. ${others}`
    const next =
      'Write `export const tools = registerSupport(new Runtime(), { toolsets: { orders: { client } } })`, with your agent.'
    return { diagnostics: [errorAt(startOf(shown), 'TG7002', message, next)] }
  }
  const name = key === 'tools' ? 'the export `tools`' : 'the default export'
  const value = exports.get(key)
  const isFactory = typeof value === 'function' && !isClass(value)
  try {
    const exported: unknown = await (isFactory ? Reflect.apply(value, undefined, []) : value)
    const location = locationOf(file, shown, key)
    return { value: { exported, name: isFactory ? `the result of ${name}` : name, location }, diagnostics: [] }
  } catch (error) {
    return { diagnostics: [module.failed(error)] }
  }
}

function isClass(value: object): boolean {
  return /^class\b/.test(String(value))
}

function locationOf(file: string, shown: string, key: string): SourceLocation {
  const written = key === 'default' ? /^\s*export\s+default\b|\bas\s+default\b/ : /^\s*export\b.*\btools\b/
  const line = readText(file)
    .split('\n')
    .findIndex((text) => written.test(text))
  return { file: shown, line: Math.max(line, 0) + 1, column: 1 }
}

export type Servable = object

export interface ServedParts {
  readonly toolsets: readonly Servable[]
  readonly runtime?: object
  readonly close?: () => unknown
  /** A generated search index for code mode, or an array of search indexes. */
  readonly searchIndex?: object
  readonly sessions?: object
  readonly options: Readonly<Record<string, unknown>>
}

export function readServed(module: LoadedModule): Checked<ServedParts> {
  const { exported, name, location } = module
  const next =
    'Export a registration, a registered toolset or a registered agent, an array of these, or an object `{ toolsets, runtime, context }`. `satisfies ServedModule` checks the type of the export.'
  const wrong = (problem: string): Checked<ServedParts> => {
    const message = `${name.charAt(0).toUpperCase()}${name.slice(1)} ${problem}.`
    return { diagnostics: [errorAt(location, 'TG7003', message, next)] }
  }
  try {
    if (isServable(exported)) return { value: { toolsets: [exported], options: {} }, diagnostics: [] }
    const project: unknown = Array.isArray(exported) ? { toolsets: exported } : exported
    if (!isFields(project) || !Array.isArray(project.toolsets)) return wrong(`is ${describe(exported)}`)
    const { toolsets, runtime, close, searchIndex, sessions, ...options } = project
    const other = toolsets.findIndex((each) => !isServable(each))
    if (other !== -1) return wrong(`has ${describe(toolsets[other])} as toolset ${other + 1}`)
    if (toolsets.length === 0) return wrong('has no toolsets')
    const unknown = Object.keys(options).find((key) => !Object.hasOwn(passedOn, key))
    if (unknown !== undefined) return wrong(`has an unknown field \`${unknown}\`${meant(unknown)}`)
    if (runtime !== undefined && !isRuntime(runtime)) return wrong(`has ${describe(runtime)} as its \`runtime\``)
    if (!isOptionalFunction(close)) return wrong(`has ${describe(close)} as its \`close\``)
    if (searchIndex !== undefined && !isObject(searchIndex))
      return wrong(`has ${describe(searchIndex)} as its \`searchIndex\``)
    if (!isOptionalReader(sessions)) return wrong(`has ${describe(sessions)} as its \`sessions\``)
    const misfit = Object.entries(passedOn).find(([key, fits]) => options[key] !== undefined && !fits(options[key]))
    if (misfit !== undefined) return wrong(`has ${describe(options[misfit[0]])} as its \`${misfit[0]}\``)
    const value: ServedParts = {
      toolsets,
      options,
      ...(runtime !== undefined && { runtime }),
      ...(close !== undefined && { close: () => close.call(project) }),
      ...(searchIndex !== undefined && { searchIndex }),
      ...(sessions !== undefined && { sessions }),
    }
    return { value, diagnostics: [] }
  } catch (error) {
    // A getter of the module threw.
    return wrong(`cannot be read: ${messageOf(error)}`)
  }
}

const passedOn: Readonly<Record<string, (value: unknown) => boolean>> = {
  server: (value) => isFields(value) && typeof value.name === 'string' && typeof value.version === 'string',
  instructions: (value) => typeof value === 'string',
  context: (value) => typeof value === 'function',
  tasks: (value) => value === false || isFields(value),
}

function meant(field: string): string {
  const [near] = nearest(field, ['toolsets', 'runtime', 'close', 'searchIndex', 'sessions', ...Object.keys(passedOn)])
  return near === undefined ? '' : ` (did you mean \`${near}\`?)`
}

function isServable(value: unknown): value is Servable {
  if (!isFields(value)) return false
  return Array.isArray(value.specs)
    ? typeof value.execute === 'function'
    : isFields(value.use) && isFields(value.executor) && typeof value.wrap === 'function'
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function isRuntime(value: unknown): value is object {
  return isFields(value) && typeof value.registerToolset === 'function'
}

function isOptionalFunction(value: unknown): value is (() => unknown) | undefined {
  return value === undefined || typeof value === 'function'
}

function isOptionalReader(value: unknown): value is object | undefined {
  return (
    value === undefined || (isFields(value) && typeof value.list === 'function' && typeof value.read === 'function')
  )
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'function') return isNamed(value) ? `the function \`${value.name}\`` : 'a function'
  if (typeof value !== 'object') return `a ${typeof value}`
  const kind = Object.getOwnPropertyDescriptor(value, '~toolgen')?.value
  if (typeof kind === 'string') return `${article(kind)} ${kind} of the design`
  const maker: unknown = Object.getPrototypeOf(value)?.constructor
  if (isNamed(maker) && maker.name !== 'Object') return `${article(maker.name)} ${maker.name}`
  const fields = Object.keys(value)
  return fields.length === 0 ? 'an object without fields' : `an object with the fields ${fields.slice(0, 8).join(', ')}`
}

function isNamed(value: unknown): value is { readonly name: string } {
  return typeof value === 'function' && value.name !== ''
}

function article(word: string): string {
  return /^[aeiou]/i.test(word) ? 'an' : 'a'
}

export interface ServedTool {
  readonly id: string
  /** Fields that the runtime fills from the metadata field `from`. */
  readonly serverOwned: readonly { readonly from: string }[]
  readonly toolset: string
  readonly toolName: string
}

export type CodeMode = (toolsets: readonly Servable[], index?: object) => Servable

/** In code mode, the returned `toolsets` contain only the toolset from `codeMode`. */
export function bindServed(
  parts: ServedParts,
  runtime: object,
  module: LoadedModule,
  codeMode?: CodeMode,
): Checked<{ readonly toolsets: readonly Servable[]; readonly tools: readonly ServedTool[] }> {
  const { location } = module
  const { value: bound, diagnostics } = registerAll(parts, runtime, module)
  if (bound === undefined) return { diagnostics }
  const first = new Map<string, ServedTool>()
  for (const tool of bound.flatMap(toolsOf)) {
    const other = first.get(tool.toolName)
    if (other?.id === readResultId && tool.id === readResultId) continue
    if (other !== undefined) return { diagnostics: [sameName(other, tool, location)] }
    first.set(tool.toolName, tool)
  }
  const tools = [...first.values()].filter(({ id }) => id !== readResultId)
  if (codeMode === undefined) return { value: { toolsets: bound, tools }, diagnostics: [] }
  try {
    const toolset = registered(codeMode(bound, parts.searchIndex), runtime)
    return { value: { toolsets: [toolset], tools }, diagnostics: [] }
  } catch (error) {
    return { diagnostics: [notRegistered(error, location)] }
  }
}

export function registerAll(
  { toolsets }: ServedParts,
  runtime: object,
  { location }: LoadedModule,
): Checked<readonly Servable[]> {
  try {
    return { value: toolsets.map((each) => ('specs' in each ? each : registered(each, runtime))), diagnostics: [] }
  } catch (error) {
    return { diagnostics: [notRegistered(error, location)] }
  }
}

export async function closeModule({ close }: ServedParts): Promise<readonly Diagnostic[]> {
  try {
    await close?.()
    return []
  } catch (error) {
    const message = `The \`close\` of the module failed: ${messageOf(error)}.`
    return [errorAt(undefined, 'TG7006', message, 'Correct the `close` function of the export.')]
  }
}

/** The runtime adds this tool to each toolset with `maxResult`. If several toolsets have the tool, the server offers it only once. */
export const readResultId = 'toolgen.read_result'

function registered(registration: Servable, runtime: object): Servable {
  const register: unknown = Reflect.get(runtime, 'registerToolset')
  if (typeof register !== 'function') throw new TypeError('the runtime has no method `registerToolset`')
  return Object(Reflect.apply(register, runtime, [registration]))
}

export function toolsOf(bound: Servable): readonly ServedTool[] {
  const specs: unknown = Reflect.get(bound, 'specs')
  return Array.isArray(specs) ? specs.filter(isServedTool) : []
}

function isServedTool(spec: unknown): spec is ServedTool {
  return typeof spec === 'object' && spec !== null && 'toolName' in spec && 'toolset' in spec && 'id' in spec
}

function notRegistered(error: unknown, location: SourceLocation): Diagnostic {
  const [message = '', ...problems] = (error instanceof Error ? error.message : String(error)).split('\n')
  const related = problems.map((problem) => ({ message: problem.replace(/^\s*-\s*/, '') }))
  const next = 'Pass the missing options to the registration.'
  return errorAt(location, 'TG7004', message.replace(/[:.]?$/, '.'), next, { related })
}

function sameName({ id: one, toolName }: ServedTool, { id: other }: ServedTool, location: SourceLocation): Diagnostic {
  const ids = one === other ? `\`${one}\`, twice` : `\`${one}\` and \`${other}\``
  const next =
    'Serve only one of the tools. Or rename one of them in an agent, `fromService(orders, client, { rename: { getOrder: "find" } })`, and serve the agent.'
  return errorAt(location, 'TG7005', `Two served tools have the name \`${toolName}\`: ${ids}.`, next)
}
