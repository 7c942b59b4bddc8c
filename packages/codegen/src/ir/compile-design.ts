import type { Toolset } from '@toolgen/dsl'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import type { LoadedDesign } from '../load/load-design.js'
import type { Locations } from '../load/source-positions.js'
import { byCodePoint } from '../text.js'
import { buildAgent, exportersIn, type UnnamedAgent, type UnnamedUse } from './build-agent.js'
import { type BuiltToolset, buildToolset, type UnnamedToolset } from './build-toolset.js'
import { agentShapeErrors, toolsetShapeErrors } from './design-shape.js'
import { mcpNameErrors, nameErrors } from './name-rules.js'
import { type AnyUseNames, assignNames, type DesignNames } from './names.js'
import { elementAt } from './reserved-names.js'
import { buildMcpSource, buildOpenApiSource, mcpServed } from './servers.js'
import type { AgentIr, DesignIr, ToolsetIr, UseIr } from './types.js'

/** The toolsets of earlier runs of this process that are still in use. */
export interface BuildMemory {
  /** With the source that it was built from. */
  readonly built: WeakMap<Toolset, { readonly source: object; readonly built: BuiltToolset }>
  readonly named: WeakMap<UnnamedToolset, ToolsetIr>
}

export function createBuildMemory(): BuildMemory {
  return { built: new WeakMap(), named: new WeakMap() }
}

/**
 * Builds the design's IR and checks every rule of the design. All diagnostics are reported together; with an error among
 * them there is no value.
 *
 * @param memory the toolsets of earlier runs of this process. Default: none
 */
export function compileDesign(loaded: LoadedDesign, memory: BuildMemory = createBuildMemory()): Checked<DesignIr> {
  const { locations } = loaded
  const rememberedSource = (toolset: Toolset): boolean => {
    const source = locations.sourceOf(toolset)
    return source !== undefined && memory.built.get(toolset)?.source === source
  }
  const misshapen = [
    ...loaded.toolsets.flatMap((toolset) => (rememberedSource(toolset) ? [] : toolsetShapeErrors(toolset, locations))),
    ...loaded.agents.flatMap((agent) => agentShapeErrors(agent, locations)),
  ]
  // A definition without its type would only lead to errors that follow from it.
  if (misshapen.length > 0) return { diagnostics: misshapen }
  const byName = (a: { readonly name: string }, b: { readonly name: string }) => byCodePoint(a.name, b.name)
  const diagnostics: Diagnostic[] = [...nameErrors(loaded.toolsets, loaded.agents, locations)]
  const toolsets = new Map<string, UnnamedToolset>()
  const served = mcpServed(loaded.toolsets, loaded.agents)
  for (const value of [...loaded.toolsets].sort(byName)) {
    const built = builtToolset(value, locations, memory.built)
    diagnostics.push(...built.diagnostics, ...mcpNameErrors(value, locations))
    if (toolsets.has(value.name)) continue
    const tools = built.toolset.tools.map(({ name }) => name)
    const mcp = served.has(value.name) ? buildMcpSource(value, tools) : undefined
    const openapi = buildOpenApiSource(value, tools)
    const isServed = mcp !== undefined || openapi !== undefined
    const servers = { ...(mcp !== undefined && { mcp }), ...(openapi !== undefined && { openapi }) }
    toolsets.set(value.name, isServed ? { ...built.toolset, ...servers } : built.toolset)
  }
  const exporters = exportersIn(loaded.agents, locations)
  const agents = [...loaded.agents].sort(byName).map((value) => {
    const built = buildAgent(value, { loaded, toolsets, exporters })
    diagnostics.push(...built.diagnostics)
    return built.agent
  })
  if (diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics }
  return { value: named([...toolsets.values()], agents, memory.named), diagnostics }
}

function builtToolset(value: Toolset, locations: Locations, memory: BuildMemory['built']): BuiltToolset {
  const source = locations.sourceOf(value)
  const known = memory.get(value)
  if (known !== undefined && known.source === source) return known.built
  const built = buildToolset(value, locations)
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
      const assigned = elementAt(names.toolsets, index)
      const known = memory.get(toolset)
      // The same object: whoever looks at what a run before saw need not look again.
      if (known !== undefined && isNamed(known, assigned)) return known
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

function isNamed({ names, tools }: ToolsetIr, assigned: DesignNames['toolsets'][number]): boolean {
  const known = { names, tools: tools.map((tool) => tool.names) }
  return JSON.stringify(known) === JSON.stringify(assigned)
}

/** Returns the file of a use that an agent serves belongs to that agent. */
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
