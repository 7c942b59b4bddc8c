import type { MetaPath, ToolIr } from '../ir/types.js'
import { byCodePoint } from '../text/by-code-point.js'
import { stringText } from '../text/literal.js'
import { type ImportSet, runtimeModule } from './import-set.js'

/** The type of what a tool's payload codec yields: the payload, before its server-owned fields are filled. */
export function decodedType(tool: ToolIr, types: string, imports: ImportSet): string {
  const payload = `${types}.${tool.names.payload}`
  if (tool.serverOwned.length === 0) return payload
  const fields = literalUnion(tool.serverOwned.map((owned) => owned.field))
  return `${imports.type(runtimeModule, 'Unfilled')}<${payload}, ${fields}>`
}

/**
 * The meta fields that a call of a tool needs, as a union; `never` where it needs none.
 *
 * @param nested the fields that the tools of the agents need which serve the toolset
 */
export function needsType(tool: ToolIr, nested: readonly MetaPath[]): string {
  return literalUnion([...tool.serverOwned.map((owned) => owned.from), ...nested]) || 'never'
}

function literalUnion(texts: readonly string[]): string {
  return [...new Set(texts)].sort(byCodePoint).map(stringText).join(' | ')
}
