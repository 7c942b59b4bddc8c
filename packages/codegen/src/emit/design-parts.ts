import type { DesignIr, ServiceUseIr, ToolIr, ToolsetIr } from '../ir/types.js'

/**
 * The toolset of a name.
 *
 * @throws {Error} when the design has none: the design rules have seen to that.
 */
export function toolsetOf(design: DesignIr, name: string): ToolsetIr {
  const toolset = design.toolsets.find((candidate) => candidate.name === name)
  if (toolset === undefined) throw new Error(`The design has no toolset '${name}'.`)
  return toolset
}

/**
 * The tool of a name.
 *
 * @throws {Error} when the toolset has none.
 */
export function toolOf(toolset: ToolsetIr, name: string): ToolIr {
  const tool = toolset.tools.find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`The toolset '${toolset.name}' has no tool '${name}'.`)
  return tool
}

/** Whether a tool of a use must be confirmed before it runs. */
export function needsApproval(use: ServiceUseIr, design: DesignIr): boolean {
  const toolset = toolsetOf(design, use.toolset)
  return use.tools.some(({ tool }) => toolOf(toolset, tool).confirmation !== undefined)
}
