import type { AgentIr, AgentUseIr, DesignIr, ExportIr, ToolIr, ToolsetIr, UseIr } from '../ir/types.js'

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

/**
 * The export that serves a use, and whose it is.
 *
 * @throws {Error} when the agent does not export the toolset: the design rules have seen to that.
 */
export function exportOf(design: DesignIr, use: AgentUseIr): ExportIr & { readonly agent: AgentIr } {
  const agent = design.agents.find(({ name }) => name === use.agent)
  const exported = agent?.exports.find(({ toolset }) => toolset === use.toolset)
  if (agent === undefined || exported === undefined)
    throw new Error(`The agent '${use.agent}' does not export '${use.toolset}'.`)
  return { ...exported, agent }
}

/** Whether a tool of a use must be confirmed before it runs. */
export function needsApproval(use: UseIr, design: DesignIr): boolean {
  const toolset = toolsetOf(design, use.toolset)
  return use.tools.some(({ tool }) => toolOf(toolset, tool).confirmation !== undefined)
}

/** The type parameters of a use: for what the agent needs that serves it, and for what the layers around it need. */
export function envsOf(use: UseIr): readonly string[] {
  return use.provider === 'agent' ? [use.names.agentEnv, use.names.env] : [use.names.env]
}
