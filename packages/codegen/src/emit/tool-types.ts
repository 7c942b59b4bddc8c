import type { MetaPath, ToolIr, ToolsetIr } from '../ir/types.js'
import { shapeOf } from '../schema/shape.js'
import { byCodePoint, propertyNameText, stringText } from '../text.js'
import type { GeneratedFile } from './generated-file.js'
import { isInheritedName } from './layout.js'

/** Returns the path of a file of a toolset, without its extension. */
export function toolsetModule({ names }: ToolsetIr, file: string): { readonly generated: string } {
  return { generated: `toolsets/${names.folder}/${file}` }
}

/** Checks whether `{}` is a tool's arguments. */
export function acceptsNoArguments(tool: ToolIr, toolset: ToolsetIr): boolean {
  const shape = shapeOf(tool.arguments, toolset.defs)
  if (shape.kind !== 'object') return false
  // `{}` has a `toString`, which is not a value of an optional field of that name.
  if (shape.fields.some((field) => isInheritedName(field.name))) return false
  return shape.fields.every((field) => !field.required || field.default !== undefined)
}

/** Returns the type of what a tool's payload codec yields: the payload, before its server-owned fields are filled. */
export function decodedType(tool: ToolIr, types: string, file: GeneratedFile): string {
  const payload = `${types}.${tool.names.payload}`
  if (tool.serverOwned.length === 0) return payload
  return `${file.type('Unfilled')}<${payload}, ${literalUnion(tool.serverOwned.map(({ field }) => field))}>`
}

/**
 * Returns the meta fields that a call of a tool needs, as a union; `never` if it needs none.
 *
 * @param nested the fields that the agents need which serve the toolset
 */
export function needsType(tool: ToolIr, nested: readonly MetaPath[]): string {
  return literalUnion([...tool.serverOwned.map(({ from }) => from), ...nested]) || 'never'
}

function literalUnion(texts: readonly string[]): string {
  return [...new Set(texts)].sort(byCodePoint).map(stringText).join(' | ')
}

/** Returns the properties by which an application passes the payload schemas again that refine more than JSON Schema. */
export function checkMembers(tools: readonly ToolIr[], file: GeneratedFile): readonly string[] {
  return tools
    .filter(({ needsCheck }) => needsCheck)
    .map(({ name }) => `readonly ${propertyNameText(name)}: ${file.type('StandardCheck')}`)
}
