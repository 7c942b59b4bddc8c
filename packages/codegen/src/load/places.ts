import type { ts as Compiler } from 'ts-morph'
import type { SourcePlace } from '../diagnostics/diagnostic.js'
import type { ExportPath, Places } from './loaded-design.js'
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
  return {
    placeOf(definition, ...path) {
      let found = rootOf(definition)
      if (found === undefined) {
        return { file: exported.get(definition)?.module ?? modules.files[0] ?? '', line: 1, column: 1 }
      }
      let node: Compiler.Node = anchorOf(modules, found)
      for (const key of path) {
        const member = findMember(modules, found, key)
        if (member === undefined) break
        found = member
        node = member.name ?? anchorOf(modules, member)
      }
      return placeOfNode(node, found.file)
    },
  }
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
  const start = node.getStart(source)
  const { line, character } = source.getLineAndCharacterOfPosition(start)
  const end = source.getLineAndCharacterOfPosition(node.getEnd())
  const length =
    end.line === line ? end.character - character : (source.text.split('\n')[line]?.length ?? 0) - character
  return { file, line: line + 1, column: character + 1, length: Math.max(1, length) }
}
