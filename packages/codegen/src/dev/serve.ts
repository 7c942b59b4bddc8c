import { readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import type { Checked, Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near-names.js'
import { foundAt, inWords, isDiskError, readText, relativePath } from '../files.js'
import { evaluateModules } from '../load/evaluate.js'
import { describeFailure, explained } from '../load/evaluation-errors.js'
import { findTsconfig } from '../load/toolgen-config.js'
import { tsconfigDiagnostic, UnreadableTsconfig } from '../load/tsconfig.js'
import { type Installed, loadInstalled, messageOf } from './installed-runtime.js'

/** Address of Streamable HTTP, as `serveMcp` accepts it. */
export interface HttpLocation {
  readonly port: number
  readonly host?: string
  readonly path?: string
  readonly allowedHosts?: readonly string[]
  readonly allowedOrigins?: readonly string[]
}

/** Streams of stdio, as `serveMcp` accepts them. */
export interface StdioLocation {
  readonly input: Readable
  readonly output: Writable
}

/** A module and how it is served. */
export interface ServeRequest {
  /** Absolute. */
  readonly file: string
  /** The folder of the module's package, where the runtime is looked for: absolute. */
  readonly root: string
  readonly transport: HttpLocation | StdioLocation
  /** Told when the module is about to be evaluated. */
  readonly onEvaluate?: () => void
}

/** A server that runs. */
export interface Serving {
  readonly tools: readonly ServedTool[]
  /** URL over HTTP. */
  readonly url?: string
  /** Resolves when nobody is there to be served any more. */
  readonly ended: Promise<unknown>
  /** Ends the service, then what the module has opened; tells what went wrong with that. */
  close(): Promise<readonly Diagnostic[]>
}

/** Serves what a module exports, with the runtime that its package has installed. */
export async function serve({ file, root, transport, onEvaluate }: ServeRequest): Promise<Checked<Serving>> {
  const serveMcp = await loadInstalled('@toolgen/runtime/mcp', 'serveMcp', root)
  const newRuntime = await loadInstalled('@toolgen/runtime', 'Runtime', root)
  if (serveMcp.value === undefined) return { diagnostics: serveMcp.diagnostics }
  if (newRuntime.value === undefined) return { diagnostics: newRuntime.diagnostics }
  onEvaluate?.()
  const module = await loadServed(file, root)
  if (module.value === undefined) return { diagnostics: module.diagnostics }
  const read = readServed(module.value)
  if (read.value === undefined) return { diagnostics: read.diagnostics }
  const { options, close = () => undefined } = read.value
  const runtime = read.value.runtime ?? Object(Reflect.construct(newRuntime.value, []))
  const bound = bindServed(read.value, runtime, module.value)
  if (bound.value === undefined) return { diagnostics: [...bound.diagnostics, ...(await closed(close))] }
  const { toolsets, tools } = bound.value
  try {
    const service = await started(serveMcp.value, runtime, { ...options, toolsets, transport })
    const end = async (): Promise<readonly Diagnostic[]> => {
      await service.close()
      return closed(close)
    }
    return { value: { ...service, tools, close: end }, diagnostics: [] }
  } catch (error) {
    return { diagnostics: [notServed(error), ...(await closed(close))] }
  }
}

async function closed(close: () => unknown): Promise<readonly Diagnostic[]> {
  try {
    await close()
    return []
  } catch (error) {
    return [notClosed(error)]
  }
}

interface Service extends Pick<Serving, 'url' | 'ended'> {
  close(): Promise<unknown>
}

async function started(serveMcp: Installed, runtime: object, options: object): Promise<Service> {
  const service: unknown = await Reflect.apply(serveMcp, undefined, [runtime, options])
  if (!isService(service)) throw new TypeError('`serveMcp` of the installed runtime gives no service')
  return service
}

function isService(value: unknown): value is Service {
  return typeof value === 'object' && value !== null && 'ended' in value && 'close' in value
}

/** A tool as it is served. */
interface ServedTool {
  /** `toolset.tool` */
  readonly id: string
  readonly toolset: string
  readonly toolName: string
}

/** Tools that are ready to be called. */
interface BoundParts {
  readonly toolsets: readonly Servable[]
  readonly tools: readonly ServedTool[]
}

/** Turns registrations into tools, each under a name of its own. */
export function bindServed(
  { toolsets }: ServedParts,
  runtime: object,
  { location }: LoadedModule,
): Checked<BoundParts> {
  const bound: Servable[] = []
  for (const each of toolsets) {
    try {
      bound.push('specs' in each ? each : registered(each, runtime))
    } catch (error) {
      return { diagnostics: [{ ...notRegistered(error), location }] }
    }
  }
  const tools = bound.flatMap(toolsOf)
  const first = new Map<string, ServedTool>()
  for (const tool of tools) {
    const other = first.get(tool.toolName)
    if (other !== undefined) return { diagnostics: [{ ...sameName(other, tool), location }] }
    first.set(tool.toolName, tool)
  }
  return { value: { toolsets: bound, tools }, diagnostics: [] }
}

function registered(registration: Servable, runtime: object): Servable {
  const register: unknown = Reflect.get(runtime, 'registerToolset')
  if (typeof register !== 'function') throw new TypeError('the runtime has no `registerToolset`')
  return Object(Reflect.apply(register, runtime, [registration]))
}

function toolsOf(bound: Servable): readonly ServedTool[] {
  const specs: unknown = Reflect.get(bound, 'specs')
  return Array.isArray(specs) ? specs.filter(isServedTool) : []
}

function isServedTool(spec: unknown): spec is ServedTool {
  return typeof spec === 'object' && spec !== null && 'toolName' in spec && 'toolset' in spec && 'id' in spec
}

function notRegistered(error: unknown): Diagnostic {
  const [what = '', ...faults] = (error instanceof Error ? error.message : String(error)).split('\n')
  return {
    code: 'TG7004',
    severity: 'error',
    message: what.replace(/[:.]?$/, '.'),
    related: faults.map((fault) => ({ message: fault.replace(/^\s*-\s*/, '') })),
    next: 'Give the registration what it needs.',
  }
}

function sameName({ id: one, toolName }: ServedTool, { id: other }: ServedTool): Diagnostic {
  return {
    code: 'TG7005',
    severity: 'error',
    message: `Two of the tools to serve are named \`${toolName}\`: ${one === other ? `\`${one}\`, twice` : `\`${one}\` and \`${other}\``}.`,
    next: 'Serve one of them alone, or give it another name for an agent, `fromService(orders, client, { rename: { getOrder: "find" } })`, and serve the agent.',
  }
}

/** There is no module to serve. */
function noModule(named: string, what: 'missing' | 'folder', near: readonly string[]): Diagnostic {
  return {
    code: 'TG0016',
    severity: 'error',
    message: what === 'missing' ? `There is no module \`${named}\`.` : `\`${named}\` is a folder, not a module.`,
    next:
      near[0] === undefined
        ? 'Name a TypeScript or JavaScript module, relative to the folder in which the command works.'
        : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}

/** The tools are fine, but they cannot be served at that place. */
function notServed(error: unknown): Diagnostic {
  const serving = { code: 'TG0017', severity: 'error' } as const
  if (isDiskError(error)) {
    const message = `The tools cannot be served there: ${listenWords.get(error.code) ?? inWords(error)}.`
    return { ...serving, message, next: 'Choose another --port or --host; --port 0 takes any port that is free.' }
  }
  return {
    ...serving,
    message: `The tools cannot be served there: ${messageOf(error).replace(/^serveMcp: /, '')}.`,
    next: 'Serve this machine alone, or say by which names clients know the server: `--allowed-hosts tools.example.com`.',
  }
}

/** Returns the diagnostic for a module whose `close` failed. */
function notClosed(error: unknown): Diagnostic {
  return {
    code: 'TG7006',
    severity: 'error',
    message: `The \`close\` of the module to serve failed: ${messageOf(error)}.`,
    next: 'Correct the `close` of what the module exports.',
  }
}

const listenWords: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'the port is in use'],
  ['EADDRNOTAVAIL', 'this machine has no such address'],
  ['ENOTFOUND', 'nobody knows that host'],
  ['EAI_AGAIN', 'nobody knows that host'],
  ['EACCES', 'the port is reserved'],
])

/** A module's file and the folder of its package. */
export interface FoundModule {
  /** Absolute. */
  readonly file: string
  /** Absolute. */
  readonly root: string
}

/**
 * Finds the module that a command line names.
 *
 * @param cwd the folder to which the name is relative: absolute
 */
export function findModule(named: string, cwd: string): Checked<FoundModule> {
  const file = resolve(cwd, named)
  const found = foundAt(file)
  if (found?.isFile() === true) return { value: { file, root: packageFolder(dirname(file)) }, diagnostics: [] }
  if (found !== undefined) return { diagnostics: [noModule(named, 'folder', [])] }
  return { diagnostics: [noModule(named, 'missing', nearFiles(file, named))] }
}

/** The modules in the same folder with near names, as the command line would write them. */
function nearFiles(file: string, named: string): readonly string[] {
  const folder = dirname(file)
  if (foundAt(folder)?.isDirectory() !== true) return []
  const modules = readdirSync(folder).filter((name) => /(?<!\.d)\.[cm]?[jt]s$/.test(name))
  return nearest(basename(file), modules).map((name) => `${named.slice(0, -basename(file).length)}${name}`)
}

/** The nearest folder with a manifest; where there is none, the folder itself. */
function packageFolder(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (foundAt(join(at, 'package.json'))?.isFile() === true) return at
    if (at === dirname(at)) return folder
  }
}

/** Export of a module to serve. */
export interface LoadedModule {
  readonly exported: unknown
  /** Name in messages: `the default export`. */
  readonly name: string
  /** Location of the export. */
  readonly location: SourceLocation
}

/**
 * Evaluates a module and takes what it exports as `tools` or as its default; of a function, what it gives.
 *
 * @param file absolute
 * @param root the folder of the module's package: absolute
 */
export async function loadServed(file: string, root: string): Promise<Checked<LoadedModule>> {
  const tsconfig = findTsconfig(dirname(file))
  const evaluation = await evaluateModules([file], { root, ...(tsconfig !== undefined && { tsconfig }) })
  const { closure, failures, modules } = evaluation
  const failed = (error: unknown): Checked<LoadedModule> => ({
    diagnostics: [notEvaluated(describeFailure(error, { root, file, closure }))],
  })
  const [failure] = failures
  if (failure?.error instanceof UnreadableTsconfig) {
    return { diagnostics: [tsconfigDiagnostic(failure.error.fault, root)] }
  }
  if (failure !== undefined) return failed(failure.error)
  const exports = new Map(Object.entries(modules[0]?.exports ?? {}))
  const key = ['tools', 'default'].find((name) => exports.get(name) !== undefined)
  const shown = relativePath(root, file)
  if (key === undefined) return { diagnostics: [nothingExported(shown, [...exports.keys()])] }
  const name = key === 'tools' ? 'the export `tools`' : 'the default export'
  const value = exports.get(key)
  const made = typeof value === 'function' && !isClass(value)
  try {
    const exported: unknown = await (made ? Reflect.apply(value, undefined, []) : value)
    return {
      value: { exported, name: made ? `what ${name} gives` : name, location: locationOf(file, shown, key) },
      diagnostics: [],
    }
  } catch (error) {
    return failed(error)
  }
}

function isClass(value: object): boolean {
  return /^class\b/.test(String(value))
}

/** The line that exports something, as far as its text tells. */
function locationOf(file: string, shown: string, key: string): SourceLocation {
  const written = key === 'default' ? /^\s*export\s+default\b|\bas\s+default\b/ : /^\s*export\b.*\btools\b/
  const line = readText(file)
    .split('\n')
    .findIndex((text) => written.test(text))
  return { file: shown, line: Math.max(line, 0) + 1, column: 1 }
}

function notEvaluated(failure: ReturnType<typeof describeFailure>): Diagnostic {
  const { kind, message, location, next, near } = failure
  return {
    code: 'TG7001',
    severity: 'error',
    message:
      kind === 'syntax'
        ? `The module to serve has a syntax error: ${message}`
        : `The module to serve cannot be evaluated: ${explained(failure)}`,
    location,
    next: next ?? 'Correct the module so that it can be imported.',
    ...(near !== undefined && { near }),
  }
}

function nothingExported(file: string, others: readonly string[]): Diagnostic {
  const found = others.length === 0 ? 'It exports nothing.' : `It exports: ${others.join(', ')}.`
  return {
    code: 'TG7002',
    severity: 'error',
    message: `The module to serve has neither a default export nor an export \`tools\`. ${found}`,
    location: { file, line: 1, column: 1 },
    next: 'Write `export const tools = registerSupport(new Runtime(), { toolsets: { orders: { client } } })`, with an agent of yours.',
  }
}

/** A registration, or a toolset or agent that is bound already. Nothing more of the runtime's types is known here. */
type Servable = object

/** Export of a module as a project. */
interface ServedParts {
  readonly toolsets: readonly Servable[]
  /** The module's own runtime. */
  readonly runtime?: object
  /** Closes the resources of the module. */
  readonly close?: () => unknown
  /** Options passed on unchanged: `server`, `instructions`, `context`. */
  readonly options: Readonly<Record<string, unknown>>
}

/** Reads what a module exports; anything that cannot be served is told by what it is. */
export function readServed(module: LoadedModule): Checked<ServedParts> {
  const wrong = (what: string): Checked<ServedParts> => ({ diagnostics: [cannotServe(module, what)] })
  try {
    return partsOf(module, wrong)
  } catch (error) {
    // A getter of the module's own.
    return wrong(`cannot be read: ${messageOf(error)}`)
  }
}

function partsOf({ exported }: LoadedModule, wrong: (what: string) => Checked<ServedParts>): Checked<ServedParts> {
  if (isServable(exported)) return { value: { toolsets: [exported], options: {} }, diagnostics: [] }
  const project: unknown = Array.isArray(exported) ? { toolsets: exported } : exported
  if (!isFields(project) || !Array.isArray(project.toolsets)) return wrong(`is ${describe(exported)}`)
  const { toolsets, runtime, close, ...options } = project
  const other = toolsets.findIndex((each) => !isServable(each))
  if (other !== -1) return wrong(`has ${describe(toolsets[other])} as its toolset ${other + 1}`)
  if (toolsets.length === 0) return wrong('has no toolsets')
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(passedOn, key))
  if (unknown !== undefined) return wrong(`has a field \`${unknown}\`${meant(unknown)}`)
  if (runtime !== undefined && !isRuntime(runtime)) return wrong(`has ${describe(runtime)} as its \`runtime\``)
  if (!isOptionalFunction(close)) return wrong(`has ${describe(close)} as its \`close\``)
  const misfit = Object.entries(passedOn).find(([key, fits]) => options[key] !== undefined && !fits(options[key]))
  if (misfit !== undefined) return wrong(`has ${describe(options[misfit[0]])} as its \`${misfit[0]}\``)
  const value: ServedParts = {
    toolsets,
    options,
    ...(runtime !== undefined && { runtime }),
    ...(close !== undefined && { close: () => close.call(project) }),
  }
  return { value, diagnostics: [] }
}

/** The fields that the runtime is given as they are, and what they must be. */
const passedOn: Readonly<Record<string, (value: unknown) => boolean>> = {
  server: (value) => isFields(value) && typeof value.name === 'string' && typeof value.version === 'string',
  instructions: (value) => typeof value === 'string',
  context: (value) => typeof value === 'function',
}

function meant(field: string): string {
  const [near] = nearest(field, ['toolsets', 'runtime', 'close', ...Object.keys(passedOn)])
  return near === undefined ? '' : `, perhaps for \`${near}\``
}

/** A registration has what it uses and what runs it; what is bound has its tools and runs them. */
function isServable(value: unknown): value is Servable {
  if (!isFields(value)) return false
  return Array.isArray(value.specs)
    ? typeof value.execute === 'function'
    : isFields(value.use) && isFields(value.executor) && typeof value.wrap === 'function'
}

function isRuntime(value: unknown): value is object {
  return isFields(value) && typeof value.registerToolset === 'function'
}

function isOptionalFunction(value: unknown): value is (() => unknown) | undefined {
  return value === undefined || typeof value === 'function'
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

/** Returns a description of a value. */
function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
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

function cannotServe({ name, location }: LoadedModule, what: string): Diagnostic {
  return {
    code: 'TG7003',
    severity: 'error',
    message: `${name.charAt(0).toUpperCase()}${name.slice(1)} ${what}.`,
    location,
    next: 'Export registrations, bound toolsets or bound agents, one or a list, or `{ toolsets, runtime, context }` with them; `satisfies ServedModule` checks it.',
  }
}
