import { join } from 'node:path'
import type { Agent, ServiceClient, Snapshot, Toolset } from '@toolgen/dsl'
import type { Node } from 'oxc-parser'
import { type Checked, type Diagnostic, errorAt, sortDiagnostics, startOf } from '../diagnostics/diagnostic.js'
import { foundAt, relativePath } from '../files.js'
import { byCodePoint } from '../text.js'
import { type EvaluatedModule, type EvaluationOptions, evaluateQuickly } from './evaluate.js'
import { describeFailure, messageWithCause } from './evaluation-errors.js'
import { type ImportedMemory, readImportedToolsets } from './imported-toolsets.js'
import { KeptModules } from './module-cache.js'
import {
  childrenOf,
  createLocations,
  type ExportPath,
  findExport,
  type Locations,
  openSourceModules,
  type SnapshotText,
  type SourceModule,
  type SourceModules,
  settle,
} from './source-positions.js'
import type { ResolvedConfig } from './toolgen-config.js'
import { TsconfigError, tsconfigDiagnostic } from './tsconfig.js'

export interface LoadedDesign {
  /** All toolsets that design modules export, or that agents use or export. */
  readonly toolsets: readonly Toolset[]
  readonly agents: readonly Agent[]
  readonly clients: ReadonlyMap<ServiceClient<unknown>, ExportPath>
  readonly snapshots: ReadonlyMap<Toolset, SnapshotText>
  /** Evaluated files outside `node_modules`, relative to the project folder, sorted by code point. */
  readonly closure: readonly string[]
  readonly locations: Locations
}

export interface DesignReading extends Checked<LoadedDesign> {
  /** Absolute paths of all files outside `node_modules` that were read, even after an error. */
  readonly read: readonly string[]
  readonly repeatable: Repeatability
}

/**
 * `yes`: the modules only declare exports. `no`: the modules have side effects. `stale`: the modules have side effects, and this evaluation used
 * cached modules, so the run must be repeated in a new thread.
 */
export type Repeatability = 'yes' | 'no' | 'stale'

export interface DesignMemory {
  readonly modules: KeptModules
  readonly parsed: Map<string, SourceModule>
  readonly declarative: WeakMap<SourceModule, boolean>
  readonly imported: ImportedMemory
}

export function createDesignMemory(): DesignMemory {
  return { modules: new KeptModules(), parsed: new Map(), declarative: new WeakMap(), imported: new WeakMap() }
}

export async function loadDesign(config: ResolvedConfig, memory?: DesignMemory): Promise<DesignReading> {
  const { root } = config
  const kept = memory?.modules
  const parsed = memory?.parsed ?? new Map<string, SourceModule>()
  kept?.refresh()
  const isReused = kept !== undefined && kept.size > 0
  for (const file of parsed.keys()) if (kept?.has(file) !== true) parsed.delete(file)
  const options: EvaluationOptions = {
    root,
    ...(kept !== undefined && { kept }),
    ...(config.tsconfig !== undefined && { tsconfig: join(root, config.tsconfig) }),
  }
  const entries = config.design.map((file) => join(root, file))
  const { closure, failures, modules: exported, evaluated } = await evaluateQuickly(entries, options)
  const [failure] = failures
  if (failure?.error instanceof TsconfigError) {
    return { diagnostics: [tsconfigDiagnostic(failure.error, root)], read: closure, repeatable: 'yes' }
  }
  const errors = failures.map(({ file, error }) => failureDiagnostic(error, { root, closure, file }))
  const invalid = errors.flatMap(({ code, location }) => (code === 'TG2002' && location ? [location.file] : []))
  const files = closure.map((file) => relativePath(root, file))
  const modules = openSourceModules(root, files, parsed)
  const isRepeatable =
    memory !== undefined &&
    files.every((file) => invalid.includes(file) || isDeclarativeIn(modules, join(root, file), file, memory))
  if (!isRepeatable) kept?.clear()
  const repeatable: Repeatability = isRepeatable ? 'yes' : isReused ? 'stale' : 'no'
  const evaluation = { read: closure, repeatable }
  if (errors.length > 0) return { diagnostics: sortDiagnostics(errors), ...evaluation }
  const inProject = ({ file, exports }: EvaluatedModule): EvaluatedModule => ({
    file: relativePath(root, file),
    exports,
  })
  const written = collectDefinitions(exported.map(inProject), evaluated.map(inProject))
  const moduleOf = (snapshot: Snapshot): string | undefined => {
    const paths = written.snapshots.get(snapshot)
    return paths && declaringPath(modules, paths).module
  }
  const collected = readImportedToolsets(written, root, moduleOf, memory?.imported)
  const snapshots = collected.files.map((file) => join(root, file))
  const reading = { ...evaluation, read: [...new Set([...closure, ...snapshots])] }
  const locations = createLocations(modules, collected.exported, collected.snapshots)
  const found = sortDiagnostics(collected.diagnose(locations))
  if (found.some(({ severity }) => severity === 'error')) return { diagnostics: found, ...reading }
  if (collected.toolsets.length === 0 && collected.agents.length === 0) {
    const message = `The design exports no toolset and no agent (modules read: ${config.design.length}).`
    const next = 'Export the results of `defineToolset` and `defineAgent`.'
    return { diagnostics: [errorAt(startOf(config.design[0] ?? config.file), 'TG2004', message, next)], ...reading }
  }
  const value: LoadedDesign = {
    toolsets: collected.toolsets,
    agents: collected.agents,
    clients: new Map([...written.clients].map(([client, paths]) => [client, declaringPath(modules, paths)] as const)),
    snapshots: collected.snapshots,
    closure: [...new Set([...files, ...collected.files])].sort(byCodePoint),
    locations,
  }
  return { value, diagnostics: found, ...reading }
}

function isDeclarativeIn(modules: SourceModules, path: string, file: string, { declarative }: DesignMemory): boolean {
  if (file.endsWith('.json') || foundAt(path) === undefined) return true
  const source = modules.parse(file)
  if (source === undefined) return false
  const result = declarative.get(source) ?? isDeclarative(source)
  declarative.set(source, result)
  return result
}

/** Prefers the module that calls `serviceClient`, because the other paths can be re-exports of the same client. */
function declaringPath(modules: SourceModules, paths: readonly ExportPath[]): ExportPath {
  const declares = ({ module, path }: ExportPath): boolean => {
    const found = findExport(modules, module, path[0] ?? '')
    return found !== undefined && settle(modules, found)?.file === module
  }
  const [first = { module: '', path: [] }] = paths
  return paths.length === 1 ? first : (paths.find(declares) ?? first)
}

function failureDiagnostic(error: unknown, context: Parameters<typeof describeFailure>[1]): Diagnostic {
  const { kind, message, location, cause, next, near } = describeFailure(error, context)
  switch (kind) {
    case 'syntax':
      return errorAt(location, 'TG2002', message, next ?? 'Correct the syntax of the design module.')
    case 'missing import':
      return errorAt(
        location,
        'TG2003',
        message,
        next ?? 'Correct the import, or install the package.',
        near && { near },
      )
    case 'thrown': {
      const [, problem = message, advice] = dslError.exec(message) ?? []
      const text = `The design threw while it was evaluated: ${messageWithCause(problem, cause)}`
      const [, imported] = /([^/]+)\.module\.ts$/.exec(location.file) ?? []
      const step =
        imported === undefined
          ? 'Correct the design so that importing its modules works without errors.'
          : `If a tool was removed or renamed, import again: \`toolgen import module ${imported}\`.`
      return errorAt(location, 'TG2001', text, next ?? advice ?? step)
    }
  }
}

const dslError: RegExp = /^((?:define|from|export|imported|service)\w+(?:\("[^"]*"\))?: .*?\.) ([A-Z].*[.?])$/

interface Collected extends Pick<LoadedDesign, 'toolsets' | 'agents'> {
  /** Short paths come first; equally long paths are sorted by code point. */
  readonly clients: ReadonlyMap<ServiceClient<unknown>, readonly ExportPath[]>
  readonly snapshots: ReadonlyMap<Snapshot, readonly ExportPath[]>
  readonly exported: ReadonlyMap<object, ExportPath>
}

type Definition = Toolset | Agent | ServiceClient<unknown> | Snapshot

const definitionKinds: readonly Definition['~toolgen'][] = ['toolset', 'agent', 'client', 'snapshot']

/** Nesting depth of exported plain objects, such as `{ orders: ordersClient }`. The search ignores deeper objects. */
const deepest = 2

function collectDefinitions(entries: readonly EvaluatedModule[], evaluated: readonly EvaluatedModule[]): Collected {
  const all = new Map<Definition, ExportPath[]>()
  for (const { file, exports } of evaluated) {
    for (const { value, path } of definitionsIn(exports, [], [])) {
      const paths = all.get(value) ?? []
      all.set(value, [...paths, { module: file, path }])
    }
  }
  const ofDesign = new Set(entries.flatMap(({ exports }) => definitionsIn(exports, [], []).map(({ value }) => value)))
  const agents = [...ofDesign].filter((value) => value['~toolgen'] === 'agent')
  const toolsets = new Set([...ofDesign].filter((value) => value['~toolgen'] === 'toolset'))
  for (const agent of agents) {
    const used = listOf(agent.uses).map((use) => use?.toolset)
    const offered = listOf(agent.exports).map((offer) => (offer?.['~toolgen'] === 'export' ? offer.toolset : offer))
    for (const toolset of [...used, ...offered]) if (isDefinition(toolset, 'toolset')) toolsets.add(toolset)
  }
  const clients = new Map<ServiceClient<unknown>, readonly ExportPath[]>()
  const snapshots = new Map<Snapshot, readonly ExportPath[]>()
  const exported = new Map<object, ExportPath>()
  for (const [value, paths] of all) {
    const [first] = paths.sort(compare)
    if (first !== undefined) exported.set(value, first)
    if (value['~toolgen'] === 'client') clients.set(value, paths)
    if (value['~toolgen'] === 'snapshot') snapshots.set(value, paths)
  }
  return { toolsets: [...toolsets], agents, clients, snapshots, exported }
}

function definitionsIn(
  container: object,
  path: readonly string[],
  open: readonly object[],
): readonly { readonly value: Definition; readonly path: readonly string[] }[] {
  return Object.entries(container).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null || open.includes(value)) return []
    const here = [...path, name]
    if (definitionKinds.some((kind) => isDefinition(value, kind))) return [{ value: value as Definition, path: here }]
    const prototype: unknown = Object.getPrototypeOf(value)
    // Namespaces of re-exported modules and objects without a prototype group exports too.
    const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null
    return isPlain && path.length < deepest ? definitionsIn(value, here, [...open, value]) : []
  })
}

function isDefinition<Kind extends Definition['~toolgen']>(
  value: unknown,
  kind: Kind,
): value is Extract<Definition, { '~toolgen': Kind }> {
  return (
    typeof value === 'object' && value !== null && Object.getOwnPropertyDescriptor(value, '~toolgen')?.value === kind
  )
}

function listOf<T>(value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : []
}

function compare(a: ExportPath, b: ExportPath): number {
  return (
    a.path.length - b.path.length || byCodePoint(a.path.join('.'), b.path.join('.')) || byCodePoint(a.module, b.module)
  )
}

/** The functions of these packages have no side effects, so a design module that calls them can be cached. */
const trusted: ReadonlySet<string> = new Set(['@toolgen/dsl', 'zod', 'valibot', '@sinclair/typebox', 'typebox'])

const changing: ReadonlySet<string> = new Set([
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
  ...['add', 'set', 'delete', 'clear', 'assign', 'defineProperty', 'defineProperties', 'setPrototypeOf', 'next'],
  ...['register', 'config', 'setGlobalConfig', 'Set', 'setErrorMap', 'then'],
  // For example `list.push.call(list, item)`.
  ...['bind', 'call', 'apply'],
])

/** These globals depend on more than their arguments, so a module that uses one of them is not cached. */
const worldly: ReadonlySet<string> = new Set([
  ...['globalThis', 'global', 'process', 'require', 'module', 'eval', 'Function', 'Reflect', 'Proxy', 'performance'],
  ...['fetch', 'crypto', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Symbol', 'Date'],
])

/** Only a module without side effects may be cached, so any doubt gives `false`. */
function isDeclarative({ body, isValid }: SourceModule): boolean {
  return isValid && body.every((statement) => isDeclaration(statement) && isStill(statement))
}

function isDeclaration(statement: Node): boolean {
  switch (statement.type) {
    case 'ImportDeclaration':
      if (statement.importKind === 'type') return true
      return statement.specifiers.length > 0 && isTrustedName(statement.source.value)
    case 'ExportAllDeclaration':
      return isTrustedName(statement.source.value)
    case 'ExportNamedDeclaration':
      if (statement.declaration !== null) return isDeclaration(statement.declaration)
      return statement.source === null || isTrustedName(statement.source.value)
    case 'ExportDefaultDeclaration':
      return statement.declaration.type !== 'ClassDeclaration'
    case 'VariableDeclaration':
      return statement.kind === 'const'
    default:
      return declarations.has(statement.type)
  }
}

const declarations: ReadonlySet<string> = new Set([
  ...['FunctionDeclaration', 'TSDeclareFunction', 'TSInterfaceDeclaration', 'TSTypeAliasDeclaration'],
  'TSExportAssignment',
])

function isTrustedName(specifier: string): boolean {
  const [scope = '', name = ''] = specifier.split('/')
  return scope.startsWith('.') || trusted.has(scope.startsWith('@') ? `${scope}/${name}` : scope)
}

const active: ReadonlySet<string> = new Set([
  ...['AssignmentExpression', 'UpdateExpression', 'AwaitExpression', 'YieldExpression', 'MetaProperty'],
  'ImportExpression',
])

function isStill(node: Node, parent?: Node): boolean {
  if (active.has(node.type)) return false
  if (node.type === 'UnaryExpression' && node.operator === 'delete') return false
  // `new Error(...)` is allowed, because creating an error has no side effects.
  if (node.type === 'NewExpression' && !(node.callee.type === 'Identifier' && node.callee.name.endsWith('Error'))) {
    return false
  }
  if (node.type === 'CallExpression') {
    const callee = withoutWrappers(node.callee)
    if (callee.type === 'MemberExpression') {
      const { computed, property } = callee
      if (computed || (property.type === 'Identifier' && changing.has(property.name))) return false
    }
  }
  const isLoop = node.type === 'ForOfStatement' || node.type === 'ForInStatement'
  if (isLoop && node.left.type !== 'VariableDeclaration') return false
  if (node.type === 'Identifier' && !isNameOfMember(node, parent) && isWorldly(node.name, parent)) return false
  return childrenOf(node).every((child) => isStill(child, node))
}

/** Returns `list.push` for `(list.push)`, `list.push!` and `list?.push`. */
function withoutWrappers(node: Node): Node {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TSTypeAssertion':
    case 'TSInstantiationExpression':
    case 'ChainExpression':
      return withoutWrappers(node.expression)
    default:
      return node
  }
}

function isNameOfMember(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent.property === node && !parent.computed
  return (parent?.type === 'Property' || parent?.type === 'MethodDefinition') && parent.key === node && !parent.computed
}

function isWorldly(name: string, parent: Node | undefined): boolean {
  if (name !== 'Math') return worldly.has(name)
  return parent?.type === 'MemberExpression' && 'name' in parent.property && parent.property.name === 'random'
}
