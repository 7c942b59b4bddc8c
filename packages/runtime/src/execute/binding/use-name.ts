import type { ToolDescriptor } from '../../contract/descriptor.js'
import type { ToolsetUse } from '../../contract/registration.js'
import type { ToolSpec } from '../../contract/spec.js'

/** The name by which an agent knows a toolset: `as`, else the toolset's own. */
export function useName(use: ToolsetUse): string {
  return use.as ?? use.toolset.name
}

/** The selected tools of a use, in the order of the toolset. */
export function selectedTools(use: ToolsetUse): readonly ToolDescriptor[] {
  const { wireNames } = use
  if (wireNames === undefined) return use.toolset.tools
  return use.toolset.tools.filter((tool) => Object.hasOwn(wireNames, tool.spec.name))
}

/** The name that the agent's model sees: the use's, else the tool's own. */
export function wireNameIn(use: ToolsetUse, spec: ToolSpec): string {
  const { wireNames } = use
  const renamed = wireNames !== undefined && Object.hasOwn(wireNames, spec.name) ? wireNames[spec.name] : undefined
  return renamed ?? spec.wireName
}
