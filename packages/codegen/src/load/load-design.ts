import { join } from 'node:path'
import type { Agent, ServiceClient, Toolset } from '@toolgen/dsl'
import type { ts as Compiler } from 'ts-morph'
import { type Checked, type Diagnostic, sortDiagnostics } from '../diagnostics/diagnostic.js'
import { foundAt, relativePath } from '../files.js'
import { byCodePoint } from '../text.js'
import { loadCompiler, type TypeScript } from './compiler.js'
import { type EvaluatedModule, type EvaluationOptions, evaluateQuickly } from './evaluate.js'
import { describeFailure, explained, type Failure } from './evaluation-errors.js'
import type { ExportPath, LoadedDesign } from './loaded-design.js'
import { KeptModules } from './module-cache.js'
import { createLocations, findExport, openSourceModules, type SourceModules, settle } from './source-positions.js'
import type { ResolvedConfig } from './toolgen-config.js'
import { tsconfigDiagnostic, UnreadableTsconfig } from './tsconfig.js'

/** A design, or why it cannot be evaluated, and what was read for it. */
export interface DesignReading extends Checked<LoadedDesign> {
  /** Every file outside `node_modules` that took part, also where evaluating it failed: absolute. */
  readonly read: readonly string[]
  readonly repeatable: Repeatability
}

/**
 * Whether the design can be evaluated again in this process: `yes` if its modules only declare their exports, `no`,
 * or `stale` if another design was evaluated before, so that this evaluation needs a new process.
 */
export type Repeatability = 'yes' | 'no' | 'stale'

/**
 * Evaluates the design's modules and collects what they define. Every module that cannot be evaluated is reported; then
 * there is no value.
 *
 * @param memory what earlier runs of this process evaluated. Default: nothing
 */
export async function loadDesign(config: ResolvedConfig, memory?: DesignMemory): Promise<DesignReading> {
  const { root } = config
  const entries = config.design.map((file) => join(root, file))
  const kept = memory?.modules
  const options: EvaluationOptions = {
    root,
    ...(kept !== undefined && { kept }),
    ...(config.tsconfig !== undefined && { tsconfig: join(root, config.tsconfig) }),
  }
  const parsed = memory?.parsed ?? new Map<string, Compiler.SourceFile>()
  kept?.refresh()
  const reused = kept !== undefined && kept.size > 0
  for (const file of parsed.keys()) if (kept?.has(file) !== true) parsed.delete(file)
  const evaluation = await evaluateQuickly(entries, options, parsed)
  const { closure, failures } = evaluation
  const [failure] = failures
  if (failure?.error instanceof UnreadableTsconfig) {
    const diagnostics = [tsconfigDiagnostic(failure.error.fault, root)]
    return { diagnostics, read: closure, repeatable: 'yes' }
  }
  const reports = failures.map(({ file, error }) => describeFailure(error, { root, closure, file }))
  const unread = new Set(
    reports.flatMap(({ kind, location }) => (kind === 'syntax' ? [join(root, location.file)] : [])),
  )
  const files = closure.map((file) => relativePath(root, file))
  const modules = openSourceModules(loadCompiler().ts, root, files, parsed)
  const repeatable =
    memory !== undefined &&
    files.every((file) => unread.has(join(root, file)) || isDeclarativeIn(modules, join(root, file), file, memory))
  if (!repeatable) kept?.clear()
  const reading = {
    read: closure,
    repeatable: repeatable ? ('yes' as const) : reused ? ('stale' as const) : ('no' as const),
  }
  if (failures.length > 0) return { diagnostics: sortDiagnostics(reports.map(reported)), ...reading }
  const inProject = ({ file, exports }: EvaluatedModule): EvaluatedModule => ({
    file: relativePath(root, file),
    exports,
  })
  const collected = collectDefinitions(evaluation.modules.map(inProject), evaluation.evaluated.map(inProject))
  if (collected.toolsets.length === 0 && collected.agents.length === 0)
    return { diagnostics: [nothing(config)], ...reading }
  const value: LoadedDesign = {
    toolsets: collected.toolsets,
    agents: collected.agents,
    clients: new Map([...collected.clients].map(([client, paths]) => [client, declaringPath(modules, paths)] as const)),
    closure: files,
    locations: createLocations(modules, collected.exported),
  }
  return { value, diagnostics: [], ...reading }
}

function isDeclarativeIn(modules: SourceModules, path: string, file: string, { declarative }: DesignMemory): boolean {
  // What is not there has done nothing.
  if (file.endsWith('.json') || foundAt(path) === undefined) return true
  const source = modules.parse(file)
  if (source === undefined) return false
  const answer = declarative.get(source) ?? isDeclarative(modules.ts, source)
  declarative.set(source, answer)
  return answer
}

/** Of several ways to a client the one through the module that makes it: others may drag the design along. */
function declaringPath(modules: SourceModules, paths: readonly [ExportPath, ...ExportPath[]]): ExportPath {
  if (paths.length === 1) return paths[0]
  return paths.find(({ module, path }) => declaresExport(modules, module, path[0] ?? '')) ?? paths[0]
}

function declaresExport(modules: SourceModules, module: string, name: string): boolean {
  const found = findExport(modules, module, name)
  return found !== undefined && settle(modules, found)?.file === module
}

function reported(failure: Failure): Diagnostic {
  const { message, location, near } = failure
  if (failure.kind === 'syntax') {
    const next = failure.next ?? 'Correct the syntax of the design module.'
    return { code: 'TG2002', severity: 'error', message, location, next }
  }
  if (failure.kind === 'missing import') {
    const next = failure.next ?? 'Correct the import, or install the package.'
    return { code: 'TG2003', severity: 'error', message, location, next, ...(near !== undefined && { near }) }
  }
  const [, said = message, advice] = refusal.exec(message) ?? []
  return {
    code: 'TG2001',
    severity: 'error',
    message: `The design threw while it was evaluated: ${explained({ ...failure, message: said })}`,
    location,
    next: failure.next ?? advice ?? 'Correct the design so that importing its modules works without errors.',
  }
}

/** Errors of the DSL: location and problem, then the next step. */
const refusal: RegExp = /^((?:define|from|export|service)\w+(?:\("[^"]*"\))?: .*?\.) ([A-Z].*[.?])$/

function nothing(config: ResolvedConfig): Diagnostic {
  return {
    code: 'TG2004',
    severity: 'error',
    message: `The design exports no toolset and no agent; ${config.design.length} modules were read.`,
    location: { file: config.design[0] ?? config.file, line: 1, column: 1 },
    next: 'Export what `defineToolset` and `defineAgent` return.',
  }
}

/** Results that later runs of this process reuse. */
export interface DesignMemory {
  readonly modules: KeptModules
  /** Syntax trees by absolute path; those of changed files are forgotten. */
  readonly parsed: Map<string, Compiler.SourceFile>
  /** Cached results of `isDeclarative`. */
  readonly declarative: WeakMap<Compiler.SourceFile, boolean>
}

/** A memory of nothing. */
export function createDesignMemory(): DesignMemory {
  return { modules: new KeptModules(), parsed: new Map(), declarative: new WeakMap() }
}

/** Definitions found in the exports of modules. */
interface Collected {
  readonly toolsets: readonly Toolset[]
  readonly agents: readonly Agent[]
  /** Every way to a client: the shortest first, then by code points. */
  readonly clients: ReadonlyMap<ServiceClient<unknown>, readonly [ExportPath, ...ExportPath[]]>
  /** The first way to each value. */
  readonly exported: ReadonlyMap<object, ExportPath>
}

type Definition = Toolset | Agent | ServiceClient<unknown>

/** Maximum depth of plain objects that group exports. */
const deepest = 2

/**
 * Collects toolsets and agents from the exports of the design's modules, toolsets from the agents themselves, and service
 * clients from whatever took part.
 *
 * @param entries the design's modules
 * @param evaluated those and what they import
 */
function collectDefinitions(entries: readonly EvaluatedModule[], evaluated: readonly EvaluatedModule[]): Collected {
  const ways = new Map<Definition, [ExportPath, ...ExportPath[]]>()
  for (const { file, exports } of evaluated) {
    for (const { value, path } of definitionsIn(exports, [], new Set())) {
      const way: ExportPath = { module: file, path }
      const known = ways.get(value)
      if (known === undefined) ways.set(value, [way])
      else known.push(way)
    }
  }
  const ofDesign = new Set(
    entries.flatMap(({ exports }) => definitionsIn(exports, [], new Set()).map(({ value }) => value)),
  )
  const agents = [...ofDesign].filter((value) => value['~toolgen'] === 'agent')
  const toolsets = new Set([...ofDesign].filter((value) => value['~toolgen'] === 'toolset'))
  for (const agent of agents) {
    for (const use of listOf(agent.uses)) if (isDefinition(use?.toolset, 'toolset')) toolsets.add(use.toolset)
    for (const offer of listOf(agent.exports)) {
      const toolset = offer?.['~toolgen'] === 'export' ? offer.toolset : offer
      if (isDefinition(toolset, 'toolset')) toolsets.add(toolset)
    }
  }
  const clients = new Map<ServiceClient<unknown>, readonly [ExportPath, ...ExportPath[]]>()
  const exported = new Map<object, ExportPath>()
  for (const [value, paths] of ways) {
    paths.sort(compare)
    exported.set(value, paths[0])
    if (value['~toolgen'] === 'client') clients.set(value, paths)
  }
  return { toolsets: [...toolsets], agents, clients, exported }
}

function definitionsIn(
  container: object,
  path: readonly string[],
  open: ReadonlySet<object>,
): readonly { readonly value: Definition; readonly path: readonly string[] }[] {
  return Object.entries(container).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null || open.has(value)) return []
    const here = [...path, name]
    if (isAnyDefinition(value)) return [{ value, path: here }]
    return isPlain(value) && path.length < deepest ? definitionsIn(value, here, new Set([...open, value])) : []
  })
}

function isAnyDefinition(value: unknown): value is Definition {
  return isDefinition(value, 'toolset') || isDefinition(value, 'agent') || isDefinition(value, 'client')
}

/** Returns whether a value is a definition of the DSL of one of these kinds. */
function isDefinition<Kind extends Definition['~toolgen']>(
  value: unknown,
  kind: Kind,
): value is Extract<Definition, { '~toolgen': Kind }> {
  return (
    typeof value === 'object' && value !== null && Object.getOwnPropertyDescriptor(value, '~toolgen')?.value === kind
  )
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  // Namespaces of re-exported modules and null-prototype objects group exports as well.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function listOf<T>(value: readonly T[]): readonly T[] {
  return Array.isArray(value) ? value : []
}

function compare(a: ExportPath, b: ExportPath): number {
  return (
    a.path.length - b.path.length || byCodePoint(a.path.join('.'), b.path.join('.')) || byCodePoint(a.module, b.module)
  )
}

/** Packages whose functions make values and remember nothing that could change the next value. */
const trusted: ReadonlySet<string> = new Set(['@toolgen/dsl', 'zod', 'valibot', '@sinclair/typebox', 'typebox'])

/** Methods that change what they are called on, or what everybody shares. */
const changing: ReadonlySet<string> = new Set([
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
  ...['add', 'set', 'delete', 'clear', 'assign', 'defineProperty', 'defineProperties', 'setPrototypeOf', 'next'],
  ...['register', 'config', 'setGlobalConfig', 'Set', 'setErrorMap', 'then'],
])

/** Names of Node and the language whose answers differ from call to call, or that reach beyond the module. */
const worldly: ReadonlySet<string> = new Set([
  ...['globalThis', 'global', 'process', 'require', 'module', 'eval', 'Function', 'Reflect', 'Proxy', 'performance'],
  ...['fetch', 'crypto', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Symbol'],
])

/**
 * Returns whether evaluating a module only makes its exports, so that it can be kept when another module changes.
 * Returns `false` in doubt.
 */
function isDeclarative(ts: TypeScript, source: Compiler.SourceFile): boolean {
  return source.statements.every((statement) => isDeclaration(ts, statement)) && isStill(ts, source)
}

function isDeclaration(ts: TypeScript, statement: Compiler.Statement): boolean {
  if (ts.isImportDeclaration(statement)) return isTrusted(ts, statement)
  if (ts.isExportDeclaration(statement)) {
    return statement.moduleSpecifier === undefined || isTrustedName(ts, statement.moduleSpecifier)
  }
  if (ts.isVariableStatement(statement)) return (statement.declarationList.flags & ts.NodeFlags.Const) !== 0
  return (
    ts.isExportAssignment(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  )
}

function isTrusted(ts: TypeScript, { importClause, moduleSpecifier }: Compiler.ImportDeclaration): boolean {
  if (importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return true
  return importClause !== undefined && isTrustedName(ts, moduleSpecifier)
}

function isTrustedName(ts: TypeScript, specifier: Compiler.Expression): boolean {
  if (!ts.isStringLiteral(specifier)) return false
  const [scope = '', name = ''] = specifier.text.split('/')
  return scope.startsWith('.') || trusted.has(scope.startsWith('@') ? `${scope}/${name}` : scope)
}

/** Returns whether the module, including its functions, has no side effects and reads no outside state. */
function isStill(ts: TypeScript, node: Compiler.Node): boolean {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken
    if (kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment) return false
  }
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    if (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken) return false
  }
  if (ts.isDeleteExpression(node) || ts.isAwaitExpression(node) || ts.isYieldExpression(node)) return false
  if (ts.isMetaProperty(node) || (ts.isNewExpression(node) && !isError(ts, node))) return false
  if (node.kind === ts.SyntaxKind.ImportKeyword && ts.isCallExpression(node.parent)) return false
  if (ts.isPropertyAccessExpression(node) && isCalled(ts, node) && changing.has(node.name.text)) return false
  if (ts.isElementAccessExpression(node) && isCalled(ts, node)) return false
  if (ts.isIdentifier(node) && isReference(ts, node) && (worldly.has(node.text) || isRandom(ts, node))) return false
  return ts.forEachChild(node, (child) => !isStill(ts, child)) !== true
}

/** Errors are made to be thrown. */
function isError(ts: TypeScript, { expression }: Compiler.NewExpression): boolean {
  return ts.isIdentifier(expression) && /Error$/.test(expression.text)
}

function isCalled(ts: TypeScript, node: Compiler.Expression): boolean {
  return ts.isCallExpression(node.parent) && node.parent.expression === node
}

/** A name that stands for a value, not the name of a property. */
function isReference(ts: TypeScript, { parent, ...node }: Compiler.Identifier): boolean {
  if (ts.isPropertyAccessExpression(parent)) return parent.expression.pos === node.pos
  return !(ts.isPropertyAssignment(parent) && parent.name.pos === node.pos)
}

/** `Date.now`, `Math.random`. */
function isRandom(ts: TypeScript, { text, parent }: Compiler.Identifier): boolean {
  if (text === 'Date') return true
  return text === 'Math' && ts.isPropertyAccessExpression(parent) && parent.name.text === 'random'
}
