import type { Toolset } from '@toolgen/dsl'
import { elementAt } from '../defined.js'
import type { Locations } from '../load/source-positions.js'
import type { UnnamedAgent, UnnamedUse } from './build-agent.js'
import { type BuiltToolset, buildToolset, type UnnamedToolset } from './build-toolset.js'
import type { AnyUseNames } from './identifiers.js'
import { assignNames, type NamesMemory, type NamesOfToolset } from './names.js'
import type { AgentIr, DesignIr, ToolsetIr } from './types.js'
import type { UseIr } from './uses.js'

/** Toolsets of earlier runs in this process. A run does not build a toolset again if its source is unchanged. */
export interface BuildMemory {
  /** Valid only as long as the definition has the same syntax node `source`. A changed file has new nodes. */
  readonly built: WeakMap<
    Toolset,
    { readonly source: object; readonly isServed: boolean; readonly built: BuiltToolset }
  >
  readonly names: NamesMemory
  readonly named: WeakMap<NamesOfToolset, ToolsetIr>
}

export function createBuildMemory(): BuildMemory {
  return { built: new WeakMap(), names: new WeakMap(), named: new WeakMap() }
}

export function builtToolset(
  value: Toolset,
  { locations, isServed }: { readonly locations: Locations; readonly isServed: boolean },
  memory: BuildMemory['built'],
): BuiltToolset {
  const source = locations.sourceOf(value)
  const known = memory.get(value)
  if (known !== undefined && known.source === source && known.isServed === isServed) return known.built
  const built = buildToolset(value, locations, isServed)
  if (source !== undefined) memory.set(value, { source, isServed, built })
  return built
}

export function named(
  toolsets: readonly UnnamedToolset[],
  agents: readonly UnnamedAgent[],
  memory: Pick<BuildMemory, 'names' | 'named'>,
): DesignIr {
  const names = assignNames({ toolsets, agents }, memory.names)
  return {
    contract: 1,
    toolsets: toolsets.map((toolset, index) => {
      const assigned = elementAt(names.toolsets, index)
      // Returns the same object, so that later steps can skip unchanged toolsets.
      const known = memory.named.get(assigned)
      if (known !== undefined) return known
      const tools = toolset.tools.map((tool, position) => ({ ...tool, names: elementAt(assigned.tools, position) }))
      const ir: ToolsetIr = { ...toolset, tools, names: assigned.names }
      memory.named.set(assigned, ir)
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
