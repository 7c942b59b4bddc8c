import type { ToolIr, ToolsetIr } from '../ir/types.js'
import { shapeOf } from '../schema/shape/shape.js'
import { isInheritedName } from './inherited-name.js'

/** True when `{}` is a call's arguments. */
export function requiresNothing(tool: ToolIr, toolset: ToolsetIr): boolean {
  const shape = shapeOf(tool.arguments, toolset.defs)
  if (shape.kind !== 'object') return false
  // `{}` has a `toString`, and it is no value of an optional field of that name.
  if (shape.fields.some((field) => isInheritedName(field.name))) return false
  return shape.fields.every((field) => !field.required || field.default !== undefined)
}
