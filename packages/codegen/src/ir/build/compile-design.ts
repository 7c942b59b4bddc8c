import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import type { LoadedDesign } from '../../load/loaded-design.js'
import { byCodePoint } from '../../text/by-code-point.js'
import { knownElement } from '../names/known-element.js'
import { assignNames } from '../names/names.js'
import { nameFaults } from '../rules/unique-names.js'
import { agentFaults, toolsetFaults } from '../rules/well-formed.js'
import type { AgentIr, DesignIr, ToolsetIr } from '../types.js'
import { buildAgent, type UnnamedAgent } from './build-agent.js'
import { buildToolset, type UnnamedToolset } from './build-toolset.js'

/**
 * Builds the design's IR and checks every rule of the design. All findings are reported together; with an error among
 * them there is no value.
 */
export function compileDesign(loaded: LoadedDesign): Checked<DesignIr> {
  const { places } = loaded
  const misshapen = [
    ...loaded.toolsets.flatMap((toolset) => toolsetFaults(toolset, places)),
    ...loaded.agents.flatMap((agent) => agentFaults(agent, places)),
  ]
  // What is not what its type says would only lead to errors that follow from it.
  if (misshapen.length > 0) return { diagnostics: misshapen }
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => byCodePoint(a.name, b.name)
  const diagnostics: Diagnostic[] = [...nameFaults(loaded.toolsets, loaded.agents, places)]
  const toolsets = new Map<string, UnnamedToolset>()
  for (const value of [...loaded.toolsets].sort(byName)) {
    const built = buildToolset(value, places)
    diagnostics.push(...built.diagnostics)
    if (!toolsets.has(value.name)) toolsets.set(value.name, built.toolset)
  }
  const agents = [...loaded.agents].sort(byName).map((value) => {
    const built = buildAgent(value, loaded, toolsets)
    diagnostics.push(...built.diagnostics)
    return built.agent
  })
  if (diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics }
  return { value: named([...toolsets.values()], agents), diagnostics }
}

function named(toolsets: readonly UnnamedToolset[], agents: readonly UnnamedAgent[]): DesignIr {
  const names = assignNames({
    toolsets: toolsets.map(({ name, tools, defs }) => ({ name, tools, defs: Object.keys(defs) })),
    agents,
  })
  return {
    contract: 1,
    toolsets: toolsets.map((toolset, index): ToolsetIr => {
      const given = knownElement(names.toolsets, index)
      const tools = toolset.tools.map((tool, position) => ({ ...tool, names: knownElement(given.tools, position) }))
      return { ...toolset, tools, names: given.names }
    }),
    agents: agents.map((agent, index): AgentIr => {
      const given = knownElement(names.agents, index)
      const uses = agent.uses.map((use, position) => ({ ...use, names: knownElement(given.uses, position) }))
      return { ...agent, uses, names: given.names }
    }),
  }
}
