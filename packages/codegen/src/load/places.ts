import type { ts as Compiler } from 'ts-morph'
import type { SourcePlace } from '../diagnostics/diagnostic.js'
import type { ExportPath, Places, TextPart } from './loaded-design.js'
import type { SourceModules } from './source-modules.js'
import { type Found, findCall, findExport, findMember, settle } from './syntax-search.js'

/** A definition that can be looked for by its name. */
export interface NamedDefinition {
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
export function createPlaces(modules: SourceModules, exported: ReadonlyMap<object, ExportPath>): Places {
  const roots = new Map<object, Found | undefined>()
  const rootOf = (definition: object): Found | undefined => {
    if (!roots.has(definition)) roots.set(definition, findDefinition(modules, definition, exported.get(definition)))
    return roots.get(definition)
  }
  const unplaced = (definition: object): SourcePlace => ({
    file: exported.get(definition)?.module ?? modules.files[0] ?? '',
    line: 1,
    column: 1,
  })
  return {
    sourceOf: (definition) => rootOf(definition)?.node,
    placeOf(definition, ...path) {
      const root = rootOf(definition)
      if (root === undefined) return unplaced(definition)
      const { found } = follow(modules, root, path)
      return placeOfNode(found.name ?? anchorOf(modules, found), found.file)
    },
    valuePlaceOf(definition, path, part) {
      const root = rootOf(definition)
      if (root === undefined) return unplaced(definition)
      const { found, whole } = follow(modules, root, path)
      const value = whole ? settle(modules, found) : undefined
      const inside = value && part && partOfText(modules, value, part)
      return (
        inside ?? placeOfNode(whole ? anchorOf(modules, found) : (found.name ?? anchorOf(modules, found)), found.file)
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
function partOfText(modules: SourceModules, { node, file }: Found, { start, end }: TextPart): SourcePlace | undefined {
  if (!modules.ts.isStringLiteralLike(node)) return undefined
  const source = node.getSourceFile()
  const first = node.getStart(source) + 1
  if (source.text.slice(first, first + node.text.length) !== node.text) return undefined
  return placeOfRange(source, file, first + start, first + end)
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

/** What stands for an expression: of a call its callee's name. */
function anchorOf(modules: SourceModules, found: Found): Compiler.Node {
  return modules.ts.isCallExpression(found.node) ? found.node.expression : found.node
}

function placeOfNode(node: Compiler.Node, file: string): SourcePlace {
  const source = node.getSourceFile()
  return placeOfRange(source, file, node.getStart(source), node.getEnd())
}

function placeOfRange(source: Compiler.SourceFile, file: string, from: number, to: number): SourcePlace {
  const { line, character } = source.getLineAndCharacterOfPosition(from)
  const end = source.getLineAndCharacterOfPosition(to)
  const length =
    end.line === line ? end.character - character : (source.text.split('\n')[line]?.length ?? 0) - character
  return { file, line: line + 1, column: character + 1, length: Math.max(1, length) }
}
