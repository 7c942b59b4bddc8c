import type { AgentIr, AgentUseIr, DesignIr, ExportIr, MetaPath, ToolIr, ToolsetIr, UseIr } from '../ir/types.js'
import { KeyedResults } from '../keyed-results.js'
import type { EmittedFile } from '../output/files.js'
import { byCodePoint } from '../text.js'

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

/** The meta fields that the runtime gives to each call of a run which serves a call. */
const GIVEN_BY_RUNS: ReadonlySet<MetaPath> = new Set(['runId', 'toolCallId', 'parentToolCallId'])

/**
 * The meta fields that the tools of the agents need which export a toolset, at any depth, without those that the runtime gives
 * to calls of a run. A call of the toolset passes them down, so its caller must give them. Sorted; empty for a toolset that no
 * agent exports. Tools that the application adds to an agent are not in the design: the runtime looks for their fields.
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
        const used = toolsetOf(design, use.toolset)
        for (const { tool } of use.tools) for (const { from } of toolOf(used, tool).serverOwned) found.add(from)
        if (use.provider === 'agent') visit(use.toolset)
      }
    }
  }
  visit(toolset)
  return [...found].filter((field) => !GIVEN_BY_RUNS.has(field)).sort(byCodePoint)
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

/** The texts of earlier runs of this process. */
export interface EmissionMemory {
  /** The files of a part of the design, by that part and all else that its texts are made from. */
  readonly files: KeyedResults<readonly EmittedFile[]>
  /** The files of the last run that were parsed without a fault: path → text. */
  readonly sound: Map<string, string>
}

/** A memory of nothing. */
export function createEmissionMemory(): EmissionMemory {
  return { files: new KeyedResults(), sound: new Map() }
}
