import type { AgentIr, AgentUseIr, DesignIr, ExportIr, MetaPath, ToolIr, ToolsetIr, UseIr } from '../ir/types.js'
import { byCodePoint } from '../text.js'

/** @throws {Error} when the design has no such toolset, which the rules of designs prevent */
export function toolsetOf(design: DesignIr, name: string): ToolsetIr {
  const toolset = design.toolsets.find((candidate) => candidate.name === name)
  if (toolset === undefined) throw new Error(`The design has no toolset '${name}'.`)
  return toolset
}

/** @throws {Error} when the toolset has no such tool */
export function toolOf(toolset: ToolsetIr, name: string): ToolIr {
  const tool = toolset.tools.find((candidate) => candidate.name === name)
  if (tool === undefined) throw new Error(`The toolset '${toolset.name}' has no tool '${name}'.`)
  return tool
}

/** Returns the tools of a toolset that a use selects. */
export function usedTools(design: DesignIr, use: Pick<UseIr, 'toolset' | 'tools'>): readonly ToolIr[] {
  const toolset = toolsetOf(design, use.toolset)
  return use.tools.map(({ tool }) => toolOf(toolset, tool))
}

/**
 * Returns the export that serves a use, and its agent.
 *
 * @throws {Error} when the agent does not export the toolset, which the rules of designs prevent
 */
export function exportOf(design: DesignIr, use: AgentUseIr): ExportIr & { readonly agent: AgentIr } {
  const agent = design.agents.find(({ name }) => name === use.agent)
  const exported = agent?.exports.find(({ toolset }) => toolset === use.toolset)
  if (agent === undefined || exported === undefined)
    throw new Error(`The agent '${use.agent}' does not export '${use.toolset}'.`)
  return { ...exported, agent }
}

/** The meta fields that the runtime fills for each call of a nested run. */
const filledByRuns: ReadonlySet<MetaPath> = new Set(['runId', 'toolCallId', 'parentToolCallId'])

/**
 * Returns the meta fields that the agents need which export a toolset, for their tools at any depth. A call of the toolset
 * passes them down, so its caller must give them. Sorted; empty for a toolset that no agent exports. Tools that the
 * application adds to an agent are not in the design: the runtime looks for their fields.
 */
export function nestedNeeds(design: DesignIr, toolset: string): readonly MetaPath[] {
  const found = new Set<MetaPath>()
  const seen = new Set<string>()
  const visit = (exported: string): void => {
    if (seen.has(exported)) return
    seen.add(exported)
    for (const agent of design.agents) {
      if (agent.exports.every((offer) => offer.toolset !== exported)) continue
      for (const use of agent.uses) {
        for (const { serverOwned } of usedTools(design, use)) for (const { from } of serverOwned) found.add(from)
        if (use.provider === 'agent') visit(use.toolset)
      }
    }
  }
  visit(toolset)
  return [...found].filter((field) => !filledByRuns.has(field)).sort(byCodePoint)
}

/** Checks whether a tool of a use must be confirmed before it runs. */
export function needsApproval(use: UseIr, design: DesignIr): boolean {
  return usedTools(design, use).some(({ confirmation }) => confirmation !== undefined)
}
