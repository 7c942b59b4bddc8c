import type { ToolsetValue } from '@toolgen/dsl'
import type { Checked, Diagnostic } from '../../diagnostics/diagnostic.js'
import type { LoadedDesign, Places } from '../../load/loaded-design.js'
import { byCodePoint } from '../../text/by-code-point.js'
import { knownElement } from '../names/known-element.js'
import { type AnyUseNames, assignNames, type DesignNames } from '../names/names.js'
import { exportersIn } from '../rules/exporters.js'
import { mcpNameFaults } from '../rules/mcp-names.js'
import { nameFaults } from '../rules/unique-names.js'
import { agentFaults, toolsetFaults } from '../rules/well-formed.js'
import type { AgentIr, DesignIr, ToolsetIr, UseIr } from '../types.js'
import { buildAgent, type UnnamedAgent } from './build-agent.js'
import { buildMcpSource, mcpServed } from './build-mcp-source.js'
import { buildOpenApiSource } from './build-openapi-source.js'
import { type BuiltToolset, buildToolset, type UnnamedToolset } from './build-toolset.js'
import type { UnnamedUse } from './build-use.js'

/** What earlier runs of this process built of the toolsets that are still in use. */
export interface BuildMemory {
  /** With the source that it was built from. */
  readonly built: WeakMap<ToolsetValue, { readonly source: object; readonly built: BuiltToolset }>
  readonly named: WeakMap<UnnamedToolset, ToolsetIr>
}

/** A memory of nothing. */
export function createBuildMemory(): BuildMemory {
  return { built: new WeakMap(), named: new WeakMap() }
}

/**
 * Builds the design's IR and checks every rule of the design. All findings are reported together; with an error among
 * them there is no value.
 *
 * @param memory the toolsets of earlier runs of this process. Default: none
 */
export function compileDesign(loaded: LoadedDesign, memory: BuildMemory = createBuildMemory()): Checked<DesignIr> {
  const { places } = loaded
  const rememberedSource = (toolset: ToolsetValue): boolean => {
    const source = places.sourceOf(toolset)
    return source !== undefined && memory.built.get(toolset)?.source === source
  }
  const misshapen = [
    ...loaded.toolsets.flatMap((toolset) => (rememberedSource(toolset) ? [] : toolsetFaults(toolset, places))),
    ...loaded.agents.flatMap((agent) => agentFaults(agent, places)),
  ]
  // What is not what its type says would only lead to errors that follow from it.
  if (misshapen.length > 0) return { diagnostics: misshapen }
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => byCodePoint(a.name, b.name)
  const diagnostics: Diagnostic[] = [...nameFaults(loaded.toolsets, loaded.agents, places)]
  const toolsets = new Map<string, UnnamedToolset>()
  const served = mcpServed(loaded.toolsets, loaded.agents)
  for (const value of [...loaded.toolsets].sort(byName)) {
    const built = builtToolset(value, places, memory.built)
    diagnostics.push(...built.diagnostics, ...mcpNameFaults(value, places))
    if (toolsets.has(value.name)) continue
    const tools = built.toolset.tools.map(({ name }) => name)
    const mcp = served.has(value.name) ? buildMcpSource(value, tools) : undefined
    const openapi = buildOpenApiSource(value, tools)
    const isServed = mcp !== undefined || openapi !== undefined
    const servers = { ...(mcp !== undefined && { mcp }), ...(openapi !== undefined && { openapi }) }
    toolsets.set(value.name, isServed ? { ...built.toolset, ...servers } : built.toolset)
  }
  const exporters = exportersIn(loaded.agents, places)
  const agents = [...loaded.agents].sort(byName).map((value) => {
    const built = buildAgent(value, { loaded, toolsets, exporters })
    diagnostics.push(...built.diagnostics)
    return built.agent
  })
  if (diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics }
  return { value: named([...toolsets.values()], agents, memory.named), diagnostics }
}

function builtToolset(value: ToolsetValue, places: Places, memory: BuildMemory['built']): BuiltToolset {
  const source = places.sourceOf(value)
  const known = memory.get(value)
  if (known !== undefined && known.source === source) return known.built
  const built = buildToolset(value, places)
  if (source !== undefined) memory.set(value, { source, built })
  return built
}

function named(
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
      const given = knownElement(names.toolsets, index)
      const known = memory.get(toolset)
      // The same object: whoever looks at what a run before saw need not look again.
      if (known !== undefined && isNamed(known, given)) return known
      const tools = toolset.tools.map((tool, position) => ({ ...tool, names: knownElement(given.tools, position) }))
      const ir: ToolsetIr = { ...toolset, tools, names: given.names }
      memory.set(toolset, ir)
      return ir
    }),
    agents: agents.map((agent, index): AgentIr => {
      const given = knownElement(names.agents, index)
      const uses = agent.uses.map((use, position) => namedUse(use, knownElement(given.uses, position)))
      const exported = agent.exports.map((offer, position) => ({
        ...offer,
        names: knownElement(given.exports, position),
      }))
      return { ...agent, uses, exports: exported, names: given.names }
    }),
  }
}

function isNamed({ names, tools }: ToolsetIr, given: DesignNames['toolsets'][number]): boolean {
  const known = { names, tools: tools.map((tool) => tool.names) }
  return JSON.stringify(known) === JSON.stringify(given)
}

/** The file of a use that an agent serves belongs to that agent. */
function namedUse(use: UnnamedUse, names: AnyUseNames): UseIr {
  const { agentEnv, mcpFile, mcpExecutor, mcpImport, openApiFile, ...own } = names
  const { use: constant, registration, registrationOptions, env } = own
  if (use.provider === 'service') return { ...use, names: own }
  if (use.provider === 'agent') return { ...use, names: { use: constant, env, agentEnv } }
  if (use.provider === 'openapi') {
    return { ...use, names: { use: constant, registration, registrationOptions, env, openApiFile } }
  }
  return {
    ...use,
    names: { use: constant, registration, registrationOptions, env, mcpFile, mcpExecutor, mcpImport },
  }
}
