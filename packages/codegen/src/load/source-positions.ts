import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { ts as Compiler } from 'ts-morph'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { TypeScript } from './compiler.js'
import type { ExportPath, Locations, TextPart } from './loaded-design.js'
import { parseModule } from './rewrite-module.js'

/** A definition that can be looked for by its name. */
interface NamedDefinition {
  readonly '~toolgen': string
  readonly name?: string
}

const callees: ReadonlyMap<string, string> = new Map([
  ['toolset', 'defineToolset'],
  ['agent', 'defineAgent'],
])

/**
 * Places by syntax alone: from where a value is exported to the expression that makes it, and from there along the
 * fields that it spells out.
 *
 * @param exported where each value of the design is exported
 */
export function createLocations(modules: SourceModules, exported: ReadonlyMap<object, ExportPath>): Locations {
  const roots = new Map<object, Found | undefined>()
  const rootOf = (definition: object): Found | undefined => {
    if (!roots.has(definition)) roots.set(definition, findDefinition(modules, definition, exported.get(definition)))
    return roots.get(definition)
  }
  const unplaced = (definition: object): SourceLocation => ({
    file: exported.get(definition)?.module ?? modules.files[0] ?? '',
    line: 1,
    column: 1,
  })
  return {
    sourceOf: (definition) => rootOf(definition)?.node,
    locationOf(definition, ...path) {
      const root = rootOf(definition)
      if (root === undefined) return unplaced(definition)
      const { found } = follow(modules, root, path)
      return locationOfNode(found.name ?? anchorOf(modules, found), found.file)
    },
    valueLocationOf(definition, path, part) {
      const root = rootOf(definition)
      if (root === undefined) return unplaced(definition)
      const { found, whole } = follow(modules, root, path)
      const value = whole ? settle(modules, found) : undefined
      const inside = value && part && partOfText(modules, value, part)
      return (
        inside ??
        locationOfNode(whole ? anchorOf(modules, found) : (found.name ?? anchorOf(modules, found)), found.file)
      )
    },
  }
}

/** Goes along a path as far as the source spells it out. */
function follow(
  modules: SourceModules,
  root: Found,
  path: readonly (string | number)[],
): { readonly found: Found; readonly whole: boolean } {
  let found: Found = { file: root.file, node: root.node }
  for (const key of path) {
    const member = findMember(modules, found, key)
    if (member === undefined) return { found, whole: false }
    found = member
  }
  return { found, whole: true }
}

/** A part of a text's literal; undefined where the literal is not written as the text reads. */
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
  const [name, ...path] = exported?.path ?? []
  if (exported !== undefined && name !== undefined) {
    let found = findExport(modules, exported.module, name)
    for (const key of path) found = found && findMember(modules, found, key)
    const settled = found && settle(modules, found)
    if (settled !== undefined) return settled
  }
  const named = isNamed(definition) ? definition : undefined
  const callee = callees.get(named?.['~toolgen'] ?? '')
  return callee === undefined || named?.name === undefined ? undefined : findCall(modules, callee, named.name)
}

function isNamed(definition: object): definition is NamedDefinition {
  return '~toolgen' in definition && typeof definition['~toolgen'] === 'string'
}

/** Returns the node that represents an expression: the callee name of a call. */
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

/** An expression of the design and the module in which it stands. */
interface Found {
  readonly file: string
  readonly node: Compiler.Expression
  /** Name of the property, if the expression is one. */
  readonly name?: Compiler.Node
}

/** References are followed this far; a longer chain is given up. */
const longestChain = 40

/** Index of the DSL function's argument that holds the fields of the definition. */
const fieldsArgument: ReadonlyMap<string, number> = new Map([
  ['defineTool', 0],
  ['defineToolset', 1],
  ['defineAgent', 1],
  ['fromService', 2],
  ['fromAgent', 1],
  ['fromMcp', 1],
  ['fromOpenApi', 1],
  ['exportToolset', 1],
])

/** Finds what a module exports under a name. */
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

/** Finds the expression that a name of a module refers to: the initializer of a variable, or an import. */
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

/** Goes one step into a value: a field of an object, an element of a list. */
function findMember(modules: SourceModules, from: Found, key: string | number, chain = 0): Found | undefined {
  const { ts } = modules
  const resolved = settle(modules, from, chain)
  if (resolved === undefined || chain > longestChain) return undefined
  const { file, node } = resolved
  if (ts.isCallExpression(node)) {
    const fields = node.arguments[fieldsArgument.get(node.expression.getText()) ?? node.arguments.length - 1]
    return fields === undefined ? undefined : findMember(modules, { file, node: fields }, key, chain + 1)
  }
  if (ts.isArrayLiteralExpression(node)) {
    const before = node.elements.slice(0, Number(key) + 1)
    const element = before[Number(key)]
    return element === undefined || before.some((item) => ts.isSpreadElement(item))
      ? undefined
      : { file, node: element }
  }
  if (!ts.isObjectLiteralExpression(node)) return undefined
  const members = spelledOut(ts, node)
  if (members !== undefined) {
    const member = members.get(String(key))
    return member && { file, ...member }
  }
  // The last property wins, as it does when the literal is evaluated.
  for (const property of [...node.properties].reverse()) {
    if (ts.isSpreadAssignment(property)) {
      const spread = findMember(modules, { file, node: property.expression }, key, chain + 1)
      if (spread !== undefined) return spread
    } else if (property.name !== undefined && nameOf(ts, property.name) === String(key)) {
      if (ts.isPropertyAssignment(property)) return { file, node: property.initializer, name: property.name }
      if (ts.isShorthandPropertyAssignment(property)) return { file, node: property.name, name: property.name }
    }
  }
  return undefined
}

/** The value of a property, and its name. */
type Member = Pick<Found, 'node' | 'name'>

/** The properties of literals without spreads, by name: toolsets have hundreds of tools, and each is asked for many times. */
const knownMembers = new WeakMap<Compiler.ObjectLiteralExpression, ReadonlyMap<string, Member> | 'has spreads'>()

/** The properties of a literal, the last of a name; `undefined` where it has more than it spells out. */
function spelledOut(
  ts: SourceModules['ts'],
  node: Compiler.ObjectLiteralExpression,
): ReadonlyMap<string, Member> | undefined {
  const known = knownMembers.get(node) ?? readMembers(ts, node)
  knownMembers.set(node, known)
  return known === 'has spreads' ? undefined : known
}

function readMembers(
  ts: SourceModules['ts'],
  { properties }: Compiler.ObjectLiteralExpression,
): ReadonlyMap<string, Member> | 'has spreads' {
  const members = new Map<string, Member>()
  for (const property of properties) {
    if (ts.isSpreadAssignment(property)) return 'has spreads'
    const name = property.name === undefined ? undefined : nameOf(ts, property.name)
    if (name === undefined) continue
    if (ts.isPropertyAssignment(property)) members.set(name, { node: property.initializer, name: property.name })
    if (ts.isShorthandPropertyAssignment(property)) members.set(name, { node: property.name, name: property.name })
  }
  return members
}

/** Follows names and unwraps what does not change a value, down to the expression that makes it. */
export function settle(modules: SourceModules, from: Found, chain = 0): Found | undefined {
  const { ts } = modules
  const { file, node } = from
  if (chain > longestChain) return undefined
  if (ts.isIdentifier(node)) {
    const target = findName(modules, file, node.text, chain + 1)
    return target === undefined ? undefined : settle(modules, target, chain + 1)
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
    return member === undefined ? undefined : settle(modules, member, chain + 1)
  }
  const [first] = ts.isCallExpression(node) ? node.arguments : []
  const frozen = ts.isCallExpression(node) && node.expression.getText() === 'Object.freeze'
  return frozen && first !== undefined ? settle(modules, { file, node: first }, chain + 1) : from
}

/** The first call `callee('name', ...)` anywhere in the modules. */
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

function nameOf(ts: SourceModules['ts'], name: Compiler.PropertyName): string | undefined {
  if (ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)) return name.text
  return ts.isComputedPropertyName(name) && ts.isStringLiteralLike(name.expression) ? name.expression.text : undefined
}

/** The design's modules as syntax trees, each parsed when it is first asked for. */
export interface SourceModules {
  readonly ts: TypeScript
  /** Relative to the root, sorted. */
  readonly files: readonly string[]
  parse(file: string): Compiler.SourceFile | undefined
  /** The module that an import in `from` names, if it is one of the design's. */
  resolve(from: string, specifier: string): string | undefined
}

/**
 * @param files relative to the root, with `/`
 * @param parsed what is parsed already, by absolute path
 */
export function openSourceModules(
  ts: TypeScript,
  root: string,
  files: readonly string[],
  parsed: Map<string, Compiler.SourceFile>,
): SourceModules {
  const known = new Set(files)
  return {
    ts,
    files,
    parse(file) {
      if (!known.has(file) || file.endsWith('.json')) return undefined
      const path = join(root, file)
      const done = parsed.get(path) ?? parseModule(ts, path, readFileSync(path, 'utf8'))
      parsed.set(path, done)
      return done
    },
    resolve(from, specifier) {
      if (!specifier.startsWith('.')) return undefined
      const target = posix.join(posix.dirname(from), specifier)
      const bare = target.replace(/\.([cm]?)js$/, '.$1ts')
      const candidates = [target, bare, ...['.ts', '.js', '.mts', '.mjs'].flatMap((end) => [target + end])]
      return [...candidates, `${target}/index.ts`, `${target}/index.js`].find((file) => known.has(file))
    },
  }
}
