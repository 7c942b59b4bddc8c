import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pointerOf } from '@toolgen/runtime/schema'
import type { ts as Compiler } from 'ts-morph'
import { type SourceLocation, startOf } from '../diagnostics/diagnostic.js'
import { jsonLocations } from '../schema/json-locations.js'
import { parseModule, type TypeScript } from './compiler.js'

/** Module of an exported value, and names that lead to the value. */
export interface ExportPath {
  /** Path relative to the project, with `/` and the extension. */
  readonly module: string
  readonly path: readonly string[]
}

/** Character range of a string, in UTF-16 units. */
export interface TextPart {
  readonly start: number
  readonly end: number
}

/** Snapshot of an imported toolset. */
export interface SnapshotText {
  /** Path relative to the project, with `/`. */
  readonly file: string
  readonly text: string
  readonly tools: readonly string[]
}

export interface Locations {
  /** Returns an object that stays the same while the source of the definition is unchanged; `undefined` if the source is not found. */
  sourceOf(definition: object): object | undefined
  /**
   * Returns the location of a definition or a part of it: `locationOf(toolset, 'tools', 'getOrder', 'description')`. A part
   * that is not written in the source has the location of the nearest written part around it.
   */
  locationOf(definition: object, ...path: readonly (string | number)[]): SourceLocation
  /**
   * Returns the location of the value at a path. `part` selects a range of a string literal; it is ignored if the literal contains escapes.
   */
  valueLocationOf(definition: object, path: readonly (string | number)[], part?: TextPart): SourceLocation
}

/**
 * Finds locations by syntax: from the export of a value to the expression that creates it, and from there along its properties. Properties
 * of imported tools that the design does not replace have locations in the snapshot.
 *
 * @param exported export path of each value of the design
 * @param snapshots snapshot of each imported toolset
 */
export function createLocations(
  modules: SourceModules,
  exported: ReadonlyMap<object, ExportPath>,
  snapshots: ReadonlyMap<object, SnapshotText>,
): Locations {
  const locators = new Map([...snapshots].map(([toolset, snapshot]) => [toolset, snapshotLocator(snapshot)] as const))
  const roots = new Map<object, Found | undefined>()
  const rootOf = (definition: object): Found | undefined => {
    if (!roots.has(definition)) roots.set(definition, findDefinition(modules, definition, exported.get(definition)))
    return roots.get(definition)
  }
  const moduleOf = (definition: object): SourceLocation =>
    startOf(exported.get(definition)?.module ?? modules.files[0] ?? '')
  return {
    sourceOf: (definition) => rootOf(definition)?.node,
    locationOf(definition, ...path) {
      const root = rootOf(definition)
      if (root === undefined) return moduleOf(definition)
      const { found, whole } = follow(modules, root, path)
      const imported = whole ? undefined : locators.get(definition)?.(path)
      return imported ?? locationOfNode(found.name ?? anchorOf(modules, found), found.file)
    },
    valueLocationOf(definition, path, part) {
      const root = rootOf(definition)
      if (root === undefined) return moduleOf(definition)
      const { found, whole } = follow(modules, root, path)
      if (!whole) {
        const imported = locators.get(definition)?.(path)
        return imported ?? locationOfNode(found.name ?? anchorOf(modules, found), found.file)
      }
      const value = part && settle(modules, found)
      return (value && partOfText(modules, value, part)) ?? locationOfNode(anchorOf(modules, found), found.file)
    },
  }
}

/** Returns a function that finds a path or its nearest existing parent in a snapshot; `undefined` for the whole toolset. */
function snapshotLocator({ file, text, tools }: SnapshotText) {
  let [ofTools, ofAll]: ReturnType<typeof jsonLocations>[] = []
  return (path: readonly (string | number)[]): SourceLocation | undefined => {
    if (path.length === 2 && path[0] === 'tools') {
      // Every tool has a location, but few diagnostics refer to parts of a tool.
      ofTools ??= jsonLocations(text, new Set(tools.map((tool) => pointerOf(['tools', tool]))))
      const found = ofTools.get(pointerOf(path))
      if (found !== undefined) return { file, ...found }
    }
    ofAll ??= jsonLocations(text)
    for (let length = path.length; length > 0; length -= 1) {
      const found = ofAll.get(pointerOf(path.slice(0, length)))
      if (found !== undefined) return { file, ...found }
    }
    return undefined
  }
}

/** Follows a path through the source, until a key is not written there. `whole` is true if all keys were found. */
function follow(modules: SourceModules, root: Found, path: readonly (string | number)[]) {
  let found: Found = { file: root.file, node: root.node }
  for (const key of path) {
    const member = findMember(modules, found, key)
    if (member === undefined) return { found, whole: false }
    found = member
  }
  return { found, whole: true }
}

/** Returns the location of a part of a string literal; `undefined` if the node is not a literal or contains escapes. */
function partOfText(
  modules: SourceModules,
  { node, file }: Found,
  { start, end }: TextPart,
): SourceLocation | undefined {
  if (!modules.ts.isStringLiteralLike(node)) return undefined
  const source = node.getSourceFile()
  const first = node.getStart(source) + 1
  if (source.text.slice(first, first + node.text.length) !== node.text) return undefined
  return locationOfRange(source, file, first + start, first + end)
}

function findDefinition(modules: SourceModules, definition: object, exported?: ExportPath): Found | undefined {
  const [first, ...path] = exported?.path ?? []
  if (exported !== undefined && first !== undefined) {
    let found = findExport(modules, exported.module, first)
    for (const key of path) found = found && findMember(modules, found, key)
    const settled = found && settle(modules, found)
    if (settled !== undefined) return settled
  }
  const { '~toolgen': kind, name }: { readonly '~toolgen'?: unknown; readonly name?: unknown } = definition
  if (typeof name !== 'string' || (kind !== 'toolset' && kind !== 'agent')) return undefined
  return findCall(modules, kind === 'toolset' ? 'defineToolset' : 'defineAgent', name)
}

/** Returns the node whose location is reported for an expression. For a call, this is the called function. */
function anchorOf(modules: SourceModules, found: Found): Compiler.Node {
  return modules.ts.isCallExpression(found.node) ? found.node.expression : found.node
}

function locationOfNode(node: Compiler.Node, file: string): SourceLocation {
  const source = node.getSourceFile()
  return locationOfRange(source, file, node.getStart(source), node.getEnd())
}

function locationOfRange(source: Compiler.SourceFile, file: string, from: number, to: number): SourceLocation {
  const { line, character } = source.getLineAndCharacterOfPosition(from)
  const end = source.getLineAndCharacterOfPosition(to)
  const length =
    end.line === line ? end.character - character : (source.text.split('\n')[line]?.length ?? 0) - character
  return { file, line: line + 1, column: character + 1, length: Math.max(1, length) }
}

/** An expression of the design and its module. */
interface Found {
  readonly file: string
  readonly node: Compiler.Expression
  /** Property name, if the expression is the value of a property. */
  readonly name?: Compiler.Node
}

/** Maximum number of references, such as imported names, that are followed for one location. */
const longestChain = 40

/** Index of the argument that holds the fields of the definition, by DSL function. */
const fieldsArgument: ReadonlyMap<string, number> = new Map([
  ['defineTool', 0],
  ['defineToolset', 1],
  ['defineAgent', 1],
  ['fromService', 2],
  ['fromAgent', 1],
  ['fromMcp', 1],
  ['fromOpenApi', 1],
  ['fromExecutor', 1],
  ['exportToolset', 1],
  ['importedToolset', 1],
])

/** Finds the expression that a module exports under a name. */
export function findExport(modules: SourceModules, file: string, name: string, chain = 0): Found | undefined {
  const { ts } = modules
  const source = modules.parse(file)
  if (source === undefined || chain > longestChain) return undefined
  for (const statement of source.statements) {
    if (ts.isExportAssignment(statement) && !statement.isExportEquals && name === 'default') {
      return { file, node: statement.expression }
    }
    if (!ts.isExportDeclaration(statement)) continue
    const found = findInExportDeclaration(modules, file, statement, name, chain + 1)
    if (found !== undefined) return found
  }
  return findVariable(modules, file, name)
}

function findInExportDeclaration(
  modules: SourceModules,
  file: string,
  statement: Compiler.ExportDeclaration,
  name: string,
  chain: number,
): Found | undefined {
  const { ts } = modules
  const from = statement.moduleSpecifier
  const target = from && ts.isStringLiteral(from) ? modules.resolve(file, from.text) : undefined
  const clause = statement.exportClause
  if (clause === undefined) return target === undefined ? undefined : findExport(modules, target, name, chain)
  if (!ts.isNamedExports(clause)) return undefined
  const specifier = clause.elements.find((element) => element.name.text === name)
  if (specifier === undefined) return undefined
  const original = (specifier.propertyName ?? specifier.name).text
  if (from === undefined) return findName(modules, file, original, chain)
  return target === undefined ? undefined : findExport(modules, target, original, chain)
}

/** Finds the expression for a name in a module: the initializer of a variable, or an import. */
function findName(modules: SourceModules, file: string, name: string, chain: number): Found | undefined {
  const { ts } = modules
  const local = findVariable(modules, file, name)
  if (local !== undefined || chain > longestChain) return local
  for (const statement of modules.parse(file)?.statements ?? []) {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) continue
    const target = modules.resolve(file, statement.moduleSpecifier.text)
    if (target === undefined) continue
    if (statement.importClause?.name?.text === name) return findExport(modules, target, 'default', chain + 1)
    const bindings = statement.importClause?.namedBindings
    if (bindings === undefined || !ts.isNamedImports(bindings)) continue
    const specifier = bindings.elements.find((element) => element.name.text === name)
    if (specifier) return findExport(modules, target, (specifier.propertyName ?? specifier.name).text, chain + 1)
  }
  return undefined
}

function findVariable(modules: SourceModules, file: string, name: string): Found | undefined {
  const { ts } = modules
  for (const statement of modules.parse(file)?.statements ?? []) {
    if (!ts.isVariableStatement(statement)) continue
    for (const declaration of statement.declarationList.declarations) {
      if (!ts.isIdentifier(declaration.name) || declaration.name.text !== name) continue
      if (declaration.initializer) return { file, node: declaration.initializer }
    }
  }
  return undefined
}

function findMember(modules: SourceModules, from: Found, key: string | number, chain = 0): Found | undefined {
  const { ts } = modules
  const resolved = settle(modules, from, chain)
  if (resolved === undefined || chain > longestChain) return undefined
  const { file, node } = resolved
  if (ts.isCallExpression(node)) {
    const fields = node.arguments[fieldsArgument.get(node.expression.getText()) ?? node.arguments.length - 1]
    return fields && findMember(modules, { file, node: fields }, key, chain + 1)
  }
  if (ts.isArrayLiteralExpression(node)) {
    const before = node.elements.slice(0, Number(key) + 1)
    const element = before[Number(key)]
    return element === undefined || before.some((item) => ts.isSpreadElement(item))
      ? undefined
      : { file, node: element }
  }
  if (!ts.isObjectLiteralExpression(node)) return undefined
  const { named, spreads } = membersOf(ts, node)
  const member = named.get(String(key))
  // The last property wins, as in JavaScript.
  for (const { expression, pos } of spreads) {
    if (member !== undefined && pos < member.node.pos) break
    const spread = findMember(modules, { file, node: expression }, key, chain + 1)
    if (spread !== undefined) return spread
  }
  return member && { file, ...member }
}

interface Members {
  /** Properties by name; the last one if a name occurs twice. */
  readonly named: ReadonlyMap<string, Pick<Found, 'node' | 'name'>>
  /** Spreads, last one first. */
  readonly spreads: readonly Compiler.SpreadAssignment[]
}

/** Members of object literals. Cached, because toolsets can have hundreds of tools and each tool is looked up many times. */
const membersByLiteral = new WeakMap<Compiler.ObjectLiteralExpression, Members>()

function membersOf(ts: TypeScript, literal: Compiler.ObjectLiteralExpression): Members {
  const cached = membersByLiteral.get(literal)
  if (cached !== undefined) return cached
  const named = new Map<string, Pick<Found, 'node' | 'name'>>()
  for (const property of literal.properties) {
    const name = property.name && nameOf(ts, property.name)
    if (name === undefined) continue
    if (ts.isPropertyAssignment(property)) named.set(name, { node: property.initializer, name: property.name })
    if (ts.isShorthandPropertyAssignment(property)) named.set(name, { node: property.name, name: property.name })
  }
  const spreads = literal.properties.filter((property) => ts.isSpreadAssignment(property)).reverse()
  const members = { named, spreads }
  membersByLiteral.set(literal, members)
  return members
}

/** Follows names, parentheses and type assertions to the expression that creates a value. */
export function settle(modules: SourceModules, from: Found, chain = 0): Found | undefined {
  const { ts } = modules
  const { file, node } = from
  if (chain > longestChain) return undefined
  if (ts.isIdentifier(node)) {
    const target = findName(modules, file, node.text, chain + 1)
    return target && settle(modules, target, chain + 1)
  }
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isTypeAssertionExpression(node) ||
    ts.isAwaitExpression(node)
  ) {
    return settle(modules, { file, node: node.expression }, chain + 1)
  }
  if (ts.isPropertyAccessExpression(node)) {
    const member = findMember(modules, { file, node: node.expression }, node.name.text, chain + 1)
    return member && settle(modules, member, chain + 1)
  }
  const [first] = ts.isCallExpression(node) ? node.arguments : []
  const frozen = ts.isCallExpression(node) && node.expression.getText() === 'Object.freeze'
  return frozen && first !== undefined ? settle(modules, { file, node: first }, chain + 1) : from
}

function findCall(modules: SourceModules, callee: string, name: string): Found | undefined {
  const { ts } = modules
  for (const file of modules.files) {
    const pending: Compiler.Node[] = []
    const source = modules.parse(file)
    if (source !== undefined) pending.push(source)
    for (let node = pending.shift(); node !== undefined; node = pending.shift()) {
      if (ts.isCallExpression(node) && node.expression.getText() === callee) {
        const [first] = node.arguments
        if (first !== undefined && ts.isStringLiteralLike(first) && first.text === name) return { file, node }
      }
      ts.forEachChild(node, (child) => void pending.push(child))
    }
  }
  return undefined
}

function nameOf(ts: TypeScript, name: Compiler.PropertyName): string | undefined {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text
  return ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression) ? name.expression.text : undefined
}

/** Syntax trees of the design's modules, parsed on demand. */
export interface SourceModules {
  readonly ts: TypeScript
  /** Paths of the modules relative to the root, sorted. */
  readonly files: readonly string[]
  parse(file: string): Compiler.SourceFile | undefined
  /** Resolves an import in `from` to a module of the design; `undefined` for other modules. */
  resolve(from: string, specifier: string): string | undefined
}

/** Opens the modules of a design. `parsed` contains syntax trees by absolute path, and receives the new ones. */
export function openSourceModules(
  ts: TypeScript,
  root: string,
  files: readonly string[],
  parsed: Map<string, Compiler.SourceFile>,
): SourceModules {
  const ofDesign = new Set(files)
  return {
    ts,
    files,
    parse(file) {
      if (!ofDesign.has(file) || file.endsWith('.json')) return undefined
      const path = join(root, file)
      const source = parsed.get(path) ?? parseModule(ts, path, readFileSync(path, 'utf8'))
      parsed.set(path, source)
      return source
    },
    resolve(from, specifier) {
      if (!specifier.startsWith('.')) return undefined
      const target = posix.join(posix.dirname(from), specifier)
      const candidates = [target, target.replace(/\.([cm]?)js$/, '.$1ts')]
      const endings = ['.ts', '.js', '.mts', '.mjs', '/index.ts', '/index.js']
      return [...candidates, ...endings.map((ending) => target + ending)].find((file) => ofDesign.has(file))
    },
  }
}
