import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { pointerOf } from '@toolgen/runtime/schema'
import {
  type ExportNamedDeclaration,
  type Expression,
  type Node,
  type ObjectExpression,
  type Program,
  parseSync,
  type Span,
  type SpreadElement,
  visitorKeys,
} from 'oxc-parser'
import { cachedBy } from '../defined.js'
import { type SourceLocation, startOf } from '../diagnostics/diagnostic.js'
import { jsonLocations } from '../schema/json-locations.js'
import { own } from '../schema/json-schema.js'

/** `path` contains the names that lead to an exported value: `['clients', 'orders']` for `clients.orders`. */
export interface ExportPath {
  /** Relative to the project folder, with `/` as separator and with the file extension. */
  readonly module: string
  readonly path: readonly string[]
}

export interface TextPart {
  readonly start: number
  readonly end: number
}

export interface SnapshotText {
  /** Relative to the project folder, with `/` as separator. */
  readonly file: string
  readonly text: string
  /** Keys in the snapshot by property of `defineTool`, for example `inputSchema` for `payload`. */
  readonly sourceKeys: Readonly<Record<string, string>>
}

export interface Locations {
  /** Returns a new object if the file of the definition has changed, so that a comparison of nodes detects changes. */
  sourceOf(definition: object): object | undefined
  /** If the source does not contain the value at `path`, returns the location of the nearest existing parent. */
  locationOf(definition: object, ...path: readonly (string | number)[]): SourceLocation
  /** With `part`, returns the location of a range in a string literal, except if the literal contains escape sequences. */
  valueLocationOf(definition: object, path: readonly (string | number)[], part?: TextPart): SourceLocation
}

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
  const locate = (
    definition: object,
    path: readonly (string | number)[],
    ofWhole: (found: Found) => SourceLocation | undefined,
  ): SourceLocation => {
    const root = rootOf(definition)
    if (root === undefined) return moduleOf(definition)
    const { found, whole } = follow(modules, root, path)
    const location = whole ? ofWhole(found) : locators.get(definition)?.(path)
    return location ?? locationOfRange(modules, found.file, found.name ?? anchorOf(found))
  }
  return {
    sourceOf: (definition) => rootOf(definition)?.node,
    locationOf: (definition, ...path) => locate(definition, path, () => undefined),
    valueLocationOf: (definition, path, part) =>
      locate(definition, path, (found) => {
        const value = part && settle(modules, found)
        return (value && partOfText(modules, value, part)) ?? locationOfRange(modules, found.file, anchorOf(found))
      }),
  }
}

const snapshotLocator = cachedBy(({ file, text, sourceKeys }: SnapshotText) => {
  const byDepth = new Map<number, ReturnType<typeof jsonLocations>>()
  return (path: readonly (string | number)[]): SourceLocation | undefined => {
    // Every tool and its description have a location, but few diagnostics refer to parts of schemas.
    const depth = path.length <= 3 ? 4 : Number.POSITIVE_INFINITY
    const locations = byDepth.get(depth) ?? jsonLocations(text, depth)
    byDepth.set(depth, locations)
    const [list = '', tool = '', property = '', ...rest] = path
    const key = own(sourceKeys, String(property))
    for (let length = path.length; length > 0; length -= 1) {
      const inSource = [list, tool, 'source', key ?? '', ...rest.slice(0, length - 3)]
      const found =
        locations.get(pointerOf(path.slice(0, length))) ?? (length > 2 ? locations.get(pointerOf(inSource)) : undefined)
      if (found !== undefined) return { file, ...found }
    }
    return undefined
  }
})

function follow(modules: SourceModules, root: Found, path: readonly (string | number)[]) {
  let found: Found = { file: root.file, node: root.node }
  for (const key of path) {
    const member = findMember(modules, found, key)
    if (member === undefined) return { found, whole: false }
    found = member
  }
  return { found, whole: true }
}

function partOfText(
  modules: SourceModules,
  { node, file }: Found,
  { start, end }: TextPart,
): SourceLocation | undefined {
  const text = stringOf(node)
  const first = node.start + 1
  if (text === undefined || !modules.parse(file)?.text.startsWith(text, first)) return undefined
  return locationOfRange(modules, file, { start: first + start, end: first + end })
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

function anchorOf({ node }: Found): Node {
  return node.type === 'CallExpression' ? node.callee : node
}

function locationOfRange(modules: SourceModules, file: string, { start, end }: Span): SourceLocation {
  const { text, lines } = modules.parse(file) ?? { text: '', lines: [0] }
  const next = lines.findIndex((offset) => offset > start)
  const line = next === -1 ? lines.length : next
  const endOfLine = next === -1 ? text.length : (lines[next] ?? 0) - 1
  const length = Math.max(1, Math.min(end, endOfLine) - start)
  return { file, line, column: start - (lines[line - 1] ?? 0) + 1, length }
}

interface Found {
  readonly file: string
  readonly node: Expression
  readonly name?: Span
}

const longestChain = 40

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

export function findExport(modules: SourceModules, file: string, name: string, chain = 0): Found | undefined {
  if (chain > longestChain) return undefined
  for (const statement of modules.parse(file)?.body ?? []) {
    if (statement.type === 'ExportDefaultDeclaration' && name === 'default') {
      const { declaration } = statement
      if (isExpression(declaration)) return { file, node: declaration }
    }
    let found: Found | undefined
    if (statement.type === 'ExportNamedDeclaration') found = findSpecifier(modules, file, statement, name, chain + 1)
    if (statement.type === 'ExportAllDeclaration' && statement.exported === null) {
      const target = modules.resolve(file, statement.source.value)
      found = target === undefined ? undefined : findExport(modules, target, name, chain + 1)
    }
    if (found !== undefined) return found
  }
  return findVariable(modules, file, name)
}

type DefaultExport = Extract<Program['body'][number], { type: 'ExportDefaultDeclaration' }>['declaration']

function isExpression(exported: DefaultExport): exported is Exclude<DefaultExport, { type: `${string}Declaration` }> {
  return !exported.type.endsWith('Declaration')
}

function findSpecifier(
  modules: SourceModules,
  file: string,
  { source, specifiers }: ExportNamedDeclaration,
  name: string,
  chain: number,
): Found | undefined {
  const specifier = specifiers.find(({ exported }) => textOfName(exported) === name)
  if (specifier === undefined) return undefined
  const original = textOfName(specifier.local)
  if (source === null) return findName(modules, file, original, chain)
  const target = modules.resolve(file, source.value)
  return target === undefined ? undefined : findExport(modules, target, original, chain)
}

function textOfName(name: ExportNamedDeclaration['specifiers'][number]['local']): string {
  return name.type === 'Literal' ? name.value : name.name
}

function findName(modules: SourceModules, file: string, name: string, chain: number): Found | undefined {
  const local = findVariable(modules, file, name)
  if (local !== undefined || chain > longestChain) return local
  for (const statement of modules.parse(file)?.body ?? []) {
    if (statement.type !== 'ImportDeclaration') continue
    const target = modules.resolve(file, statement.source.value)
    const specifier = statement.specifiers.find((each) => each.local.name === name)
    if (target === undefined || specifier === undefined || specifier.type === 'ImportNamespaceSpecifier') continue
    const imported = specifier.type === 'ImportSpecifier' ? textOfName(specifier.imported) : 'default'
    return findExport(modules, target, imported, chain + 1)
  }
  return undefined
}

function findVariable(modules: SourceModules, file: string, name: string): Found | undefined {
  for (const statement of modules.parse(file)?.body ?? []) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (declaration?.type !== 'VariableDeclaration') continue
    for (const { id, init } of declaration.declarations) {
      if (id.type === 'Identifier' && id.name === name && init !== null) return { file, node: init }
    }
  }
  return undefined
}

function findMember(modules: SourceModules, from: Found, key: string | number, chain = 0): Found | undefined {
  const resolved = settle(modules, from, chain)
  if (resolved === undefined || chain > longestChain) return undefined
  const { file, node } = resolved
  if (node.type === 'CallExpression') {
    const { callee } = node
    const index = callee.type === 'Identifier' ? fieldsArgument.get(callee.name) : undefined
    const fields = node.arguments[index ?? node.arguments.length - 1]
    if (fields === undefined || fields.type === 'SpreadElement') return undefined
    return findMember(modules, { file, node: fields }, key, chain + 1)
  }
  if (node.type === 'ArrayExpression') {
    const before = node.elements.slice(0, Number(key) + 1)
    const element = before[Number(key)]
    const isKnown =
      element && element.type !== 'SpreadElement' && !before.some((item) => item?.type === 'SpreadElement')
    return isKnown ? { file, node: element } : undefined
  }
  if (node.type !== 'ObjectExpression') return undefined
  const { named, spreads } = membersOf(node)
  const member = named.get(String(key))
  // The last property wins, as in JavaScript.
  for (const { argument, start } of spreads) {
    if (member !== undefined && start < member.node.start) break
    const spread = findMember(modules, { file, node: argument }, key, chain + 1)
    if (spread !== undefined) return spread
  }
  return member && { file, ...member }
}

interface Members {
  readonly named: ReadonlyMap<string, Required<Pick<Found, 'node' | 'name'>>>
  readonly spreads: readonly SpreadElement[]
}

const membersOf = cachedBy((literal: ObjectExpression): Members => {
  // Cached, because a toolset can have hundreds of tools, and each tool needs many lookups.
  const named = new Map<string, Required<Pick<Found, 'node' | 'name'>>>()
  const spreads: SpreadElement[] = []
  for (const property of literal.properties) {
    if (property.type === 'SpreadElement') {
      spreads.unshift(property)
      continue
    }
    const { key, computed, start, value } = property
    if (property.kind !== 'init' || property.method) continue
    const isName = key.type === 'Identifier' && !computed
    const isNumber = key.type === 'Literal' && typeof key.value === 'number' && !computed
    const name = isName ? key.name : isNumber ? String(key.value) : stringOf(key)
    // The range of a computed name includes its brackets.
    if (name !== undefined) named.set(name, { node: value, name: computed ? { start, end: key.end + 1 } : key })
  }
  return { named, spreads }
})

function stringOf(node: Node): string | undefined {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  const isText = node.type === 'TemplateLiteral' && node.expressions.length === 0
  return isText ? (node.quasis[0]?.value.cooked ?? undefined) : undefined
}

export function settle(modules: SourceModules, from: Found, chain = 0): Found | undefined {
  const { file, node } = from
  if (chain > longestChain) return undefined
  switch (node.type) {
    case 'Identifier': {
      const target = findName(modules, file, node.name, chain + 1)
      return target && settle(modules, target, chain + 1)
    }
    case 'ParenthesizedExpression':
    case 'TSAsExpression':
    case 'TSSatisfiesExpression':
    case 'TSNonNullExpression':
    case 'TSTypeAssertion':
    case 'ChainExpression':
      return settle(modules, { file, node: node.expression }, chain + 1)
    case 'AwaitExpression':
      return settle(modules, { file, node: node.argument }, chain + 1)
    case 'MemberExpression': {
      if (node.computed || node.property.type !== 'Identifier') return from
      const member = findMember(modules, { file, node: node.object }, node.property.name, chain + 1)
      return member && settle(modules, member, chain + 1)
    }
    case 'CallExpression': {
      const { callee } = node
      const [first] = node.arguments
      const isFrozen = callee.type === 'MemberExpression' && isObjectFreeze(callee)
      if (!isFrozen || first === undefined || first.type === 'SpreadElement') return from
      return settle(modules, { file, node: first }, chain + 1)
    }
    default:
      return from
  }
}

function isObjectFreeze({ object, property }: { readonly object: Node; readonly property: Node }): boolean {
  const isObject = object.type === 'Identifier' && object.name === 'Object'
  return isObject && property.type === 'Identifier' && property.name === 'freeze'
}

function findCall(modules: SourceModules, callee: string, name: string): Found | undefined {
  for (const file of modules.files) {
    const pending: Node[] = [...(modules.parse(file)?.body ?? [])]
    for (const node of pending) {
      if (node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === callee) {
        const [first] = node.arguments
        if (first !== undefined && stringOf(first) === name) return { file, node }
      }
      pending.push(...childrenOf(node))
    }
  }
  return undefined
}

export function childrenOf(node: Node): readonly Node[] {
  return (visitorKeys[node.type] ?? []).flatMap((key) => [Reflect.get(node, key) ?? []].flat().filter(Boolean))
}

export interface SourceModule extends Pick<Program, 'body'> {
  readonly text: string
  readonly lines: readonly number[]
  /** False if the text has syntax errors. The syntax tree can then be empty. */
  readonly isValid: boolean
}

export interface SourceModules {
  readonly files: readonly string[]
  parse(file: string): SourceModule | undefined
  resolve(from: string, specifier: string): string | undefined
}

export function openSourceModules(
  root: string,
  files: readonly string[],
  parsed: Map<string, SourceModule>,
): SourceModules {
  const ofDesign = new Set(files)
  return {
    files,
    parse(file) {
      if (!ofDesign.has(file) || file.endsWith('.json')) return undefined
      const path = join(root, file)
      const source = parsed.get(path) ?? parseModule(path, readFileSync(path, 'utf8'))
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

function parseModule(path: string, text: string): SourceModule {
  const { program, errors } = parseSync(path, text)
  const lines = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)]
  return { text, body: program.body, lines, isValid: errors.length === 0 }
}
