import type { Toolset } from '@toolgen/dsl'
import { elementAt } from '../defined.js'
import type { Locations } from '../load/source-positions.js'
import type { UnnamedAgent, UnnamedUse } from './build-agent.js'
import { type BuiltToolset, buildToolset, type UnnamedToolset } from './build-toolset.js'
import type { AnyUseNames } from './identifiers.js'
import { assignNames } from './names.js'
import type { AgentIr, DesignIr, ToolsetIr } from './types.js'
import type { UseIr } from './uses.js'

/** Toolsets of earlier runs in this process. A run does not build a toolset again if its source is unchanged. */
export interface BuildMemory {
  /** Valid only as long as the definition has the same syntax node `source`. A changed file has new nodes. */
  readonly built: WeakMap<Toolset, { readonly source: object; readonly built: BuiltToolset }>
  readonly named: WeakMap<UnnamedToolset, ToolsetIr>
}

export function createBuildMemory(): BuildMemory {
  return { built: new WeakMap(), named: new WeakMap() }
}

export function builtToolset(value: Toolset, locations: Locations, memory: BuildMemory['built']): BuiltToolset {
  const source = locations.sourceOf(value)
  const known = memory.get(value)
  if (known !== undefined && known.source === source) return known.built
  const built = buildToolset(value, locations)
  if (source !== undefined) memory.set(value, { source, built })
  return built
}

export function named(
  toolsets: readonly UnnamedToolset[],
  agents: readonly UnnamedAgent[],
  memory: BuildMemory['named'],
): DesignIr {
  const names = assignNames({
    toolsets: toolsets.map(({ name, tools, defs }) => ({ name, tools, defs: Object.keys(defs) })),
    agents,
  })
  return {
    contract: 1,
    toolsets: toolsets.map((toolset, index) => {
      const assigned = elementAt(names.toolsets, index)
      const known = memory.get(toolset)
      // Returns the same object, so that later steps can skip unchanged toolsets.
      const knownNames = known && { names: known.names, tools: known.tools.map((tool) => tool.names) }
      if (known !== undefined && JSON.stringify(knownNames) === JSON.stringify(assigned)) return known
      const tools = toolset.tools.map((tool, position) => ({ ...tool, names: elementAt(assigned.tools, position) }))
      const ir: ToolsetIr = { ...toolset, tools, names: assigned.names }
      memory.set(toolset, ir)
      return ir
    }),
    agents: agents.map((agent, index): AgentIr => {
      const assigned = elementAt(names.agents, index)
      const uses = agent.uses.map((use, position) => namedUse(use, elementAt(assigned.uses, position)))
      const exported = agent.exports.map((offer, position) => ({
        ...offer,
        names: elementAt(assigned.exports, position),
      }))
      return { ...agent, uses, exports: exported, names: assigned.names }
    }),
  }
}

function namedUse(use: UnnamedUse, names: AnyUseNames): UseIr {
  const { agentEnv, mcpExecutor, mcpImport, client, executor, executorOptions, ...own } = names
  const plain = { ...own, file: `${own.file}.${use.provider}` }
  if (use.provider === 'service') return { ...use, names: { ...plain, client, executor, executorOptions } }
  if (use.provider === 'agent') return { ...use, names: { use: own.use, env: own.env, agentEnv } }
  return use.provider === 'mcp' ? { ...use, names: { ...plain, mcpExecutor, mcpImport } } : { ...use, names: plain }
}
