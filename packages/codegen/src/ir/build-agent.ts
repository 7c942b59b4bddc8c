import type { Agent, AgentUse, McpUse, OpenApiUse, ServiceUse, Toolset, ToolsetExport, ToolsetUse } from '@toolgen/dsl'
import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import type { LoadedDesign, Locations } from '../load/loaded-design.js'
import { isObject, own } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { buildMcpTool, buildServiceTool, type UseLocations } from './build-tools.js'
import type { UnnamedToolset } from './build-toolset.js'
import { type Exporters, exporterOf, toolsetOfExport } from './exporters.js'
import {
  type AdvertisedTool,
  defaultToolName,
  toolNameClashes,
  toolNameFaults,
  unknownTool,
  useNameFaults,
} from './name-rules.js'
import { descriptionFaults, exportedToolFaults, notJson } from './text-rules.js'
import type {
  AgentIr,
  AgentUseIr,
  ExportedToolIr,
  ExportIr,
  McpUseIr,
  OpenApiUseIr,
  ServiceUseIr,
  UsedToolIr,
} from './types.js'

/** An agent before it has identifiers. */
export type UnnamedAgent = Omit<AgentIr, 'names' | 'uses' | 'exports'> & {
  readonly uses: readonly UnnamedUse[]
  readonly exports: readonly UnnamedExport[]
}

/** Finds places in an agent's definition. */
type LocationOf = (...path: readonly (string | number)[]) => SourceLocation

/** Builds an agent and checks every rule that concerns it. */
export function buildAgent(
  agent: Agent,
  design: Omit<UseScene, 'agent'>,
): { readonly agent: UnnamedAgent; readonly diagnostics: readonly Diagnostic[] } {
  const { loaded, toolsets } = design
  const locationOf: LocationOf = (...path) => loaded.locations.locationOf(agent, ...path)
  const { name, description, instructions, policy, lint } = agent
  const diagnostics = [...descriptionFaults(`the agent \`${name}\``, description, locationOf('description'))]
  const uses = agent.uses.map((use, index) => buildUse(use, index, { ...design, agent }))
  const exported = agent.exports.map((offer, index) =>
    buildExport(offer, index, { agent, locations: loaded.locations, toolsets }),
  )
  const limits = policy === undefined ? undefined : toJson(policy)
  if (limits?.ok === false) diagnostics.push(notJson('policy', limits.message, locationOf('policy')))
  diagnostics.push(
    ...uses.flatMap((one) => one.diagnostics),
    ...exported.flatMap((one) => one.diagnostics),
    ...usedTwice(agent, locationOf),
    ...toolNameClashes(
      name,
      'uses',
      uses.flatMap(({ advertised }) => advertised),
    ),
    ...toolNameClashes(name, 'exports', offeredTools(agent, toolsets, locationOf)),
  )
  const value: UnnamedAgent = {
    name,
    description,
    ...(instructions === undefined ? {} : { instructions }),
    ...(limits?.ok && isObject(limits.json) ? { policy: limits.json } : {}),
    uses: uses.flatMap(({ use }) => (use === undefined ? [] : [use])),
    exports: exported.map(({ offer }) => offer),
    ...(lint !== undefined && { lint: { ...lint } }),
    location: locationOf(),
  }
  return { agent: value, diagnostics }
}

/** The tools that an agent offers, each toolset once. */
function offeredTools(
  agent: Agent,
  toolsets: ReadonlyMap<string, UnnamedToolset>,
  locationOf: LocationOf,
): readonly AdvertisedTool[] {
  const names = agent.exports.map((offer) => toolsetOfExport(offer).name)
  return names.flatMap((name, index) => {
    if (names.indexOf(name) !== index) return []
    const location = locationOf('exports', index)
    const tools = toolsets.get(name)?.tools ?? []
    return tools.map(({ name: tool, toolName }) => ({ as: name, tool, toolName, location }))
  })
}

/** An agent has one use for each name, and offers a toolset once. */
function usedTwice(agent: Agent, locationOf: LocationOf): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const names = new Set<string>()
  for (const [index, use] of agent.uses.entries()) {
    const as = use.as ?? use.toolset.name
    if (names.has(as)) found.push(sameUse(agent.name, as, use.as === undefined, locationOf('uses', index)))
    names.add(as)
  }
  const exported = new Set<string>()
  for (const [index, offer] of agent.exports.entries()) {
    const { name } = toolsetOfExport(offer)
    if (exported.has(name)) found.push(sameExport(agent.name, name, locationOf('exports', index)))
    exported.add(name)
  }
  return found
}

function sameUse(agent: string, as: string, byName: boolean, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2012',
    severity: 'error',
    message: byName ? `\`${agent}\` uses the toolset \`${as}\` twice.` : `\`${agent}\` has two uses named \`${as}\`.`,
    location,
    next: `Give one of them another name with \`as\`, e.g. \`as: '${as}2'\`.`,
  }
}

function sameExport(agent: string, toolset: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2013',
    severity: 'error',
    message: `\`${agent}\` offers the toolset \`${toolset}\` twice.`,
    location,
    next: 'Remove one of them from `exports`.',
  }
}

/** An export before it has identifiers. */
type UnnamedExport = Omit<ExportIr, 'names'>

/** Builds what an agent exports at an index and checks what is said of its tools. */
function buildExport(
  offer: Toolset | ToolsetExport,
  index: number,
  scene: {
    readonly agent: Agent
    readonly locations: Locations
    readonly toolsets: ReadonlyMap<string, UnnamedToolset>
  },
): { readonly offer: UnnamedExport; readonly diagnostics: readonly Diagnostic[] } {
  const { agent, locations } = scene
  const locationOf = (...path: readonly string[]) => locations.locationOf(agent, 'exports', index, ...path)
  const toolset = toolsetOfExport(offer)
  const said = offer['~toolgen'] === 'export' ? offer.tools : {}
  const known = Object.keys(toolset.tools)
  const diagnostics = Object.keys(said)
    .filter((tool) => !known.includes(tool))
    .map((tool) => unknownTool('tools', tool, toolset.name, known, locationOf('tools', tool)))
  const built = scene.toolsets.get(toolset.name)
  const tools = (built?.tools ?? []).flatMap(({ name, payload, result }): readonly ExportedToolIr[] => {
    const settings = own(said, name)
    if (settings === undefined) return []
    diagnostics.push(
      ...exportedToolFaults(name, settings, { payload, result }, built?.defs ?? {}, {
        locationOf: (field) => locationOf('tools', name, field),
        templatePart: (part) => locations.valueLocationOf(agent, ['exports', index, 'tools', name, 'template'], part),
      }),
    )
    const facts = factsOf(settings)
    return Object.keys(facts).length === 0 ? [] : [{ tool: name, ...facts }]
  })
  return { offer: { toolset: toolset.name, tools, location: locationOf() }, diagnostics }
}

/** What differs from saying nothing. */
function factsOf({
  text,
  template,
  systemPrompt,
  prose,
}: ToolsetExport['tools'][string]): Omit<ExportedToolIr, 'tool'> {
  return {
    ...(text !== undefined && { text }),
    ...(template !== undefined && { template }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(prose === true && { prose }),
  }
}

/** A use before it has identifiers. */
export type UnnamedUse =
  | Omit<ServiceUseIr, 'names'>
  | Omit<AgentUseIr, 'names'>
  | Omit<McpUseIr, 'names'>
  | Omit<OpenApiUseIr, 'names'>

/** Where a use stands, and what it may refer to. */
interface UseScene {
  readonly agent: Agent
  readonly loaded: LoadedDesign
  /** Those that could be built, by name. */
  readonly toolsets: ReadonlyMap<string, UnnamedToolset>
  readonly exporters: Exporters
}

/** A use with the tools that the agent's model sees; `use` is absent where nothing serves it. */
interface BuiltUse {
  readonly use?: UnnamedUse
  readonly advertised: readonly AdvertisedTool[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Builds the use at an index of an agent's list and checks every rule that concerns it. */
function buildUse(use: ToolsetUse, index: number, scene: UseScene): BuiltUse {
  const { agent, loaded } = scene
  const locations: UseLocations = {
    of: (...path) => loaded.locations.locationOf(agent, 'uses', index, ...path),
    ofValue: (...path) => loaded.locations.valueLocationOf(agent, ['uses', index, ...path]),
  }
  const as = use.as ?? use.toolset.name
  const named = [
    ...useNameFaults(use, locations.of),
    ...(as.trim() === '' ? [emptyName(locations.of('as'))] : []),
    ...renameFaults(use, scene, locations),
  ]
  const built = providedUse(use, as, scene, locations)
  const tools = built.use?.tools ?? []
  return {
    ...built,
    advertised: tools.map(({ tool, toolName, location }) => ({
      as,
      tool,
      toolName,
      location: own(use.rename ?? {}, tool) === undefined ? location : locations.of('rename', tool),
    })),
    diagnostics: [...named, ...built.diagnostics],
  }
}

function providedUse(
  use: ToolsetUse,
  as: string,
  scene: UseScene,
  locations: UseLocations,
): Omit<BuiltUse, 'advertised'> {
  switch (use.provider) {
    case 'service':
      return serviceUse(use, as, scene, locations)
    case 'agent':
      return agentUse(use, as, scene, locations)
    case 'mcp':
      return mcpUse(use, as, scene, locations)
    case 'openapi':
      return openApiUse(use, as, scene, locations)
  }
}

function serviceUse(
  use: ServiceUse,
  as: string,
  { loaded, toolsets }: UseScene,
  locations: UseLocations,
): Omit<BuiltUse, 'advertised'> {
  const built = selectedTools(use, as, toolsets).map((tool) => buildServiceTool(use, tool, locations))
  const diagnostics = built.flatMap((one) => one.diagnostics)
  const client = loaded.clients.get(use.client)
  if (client === undefined) return { diagnostics: [notExported(as, locations.of()), ...diagnostics] }
  const { module, path } = client
  const tools = built.map(({ tool }) => tool)
  const location = locations.of()
  return {
    use: { provider: 'service', toolset: use.toolset.name, as, client: { module, path }, tools, location },
    diagnostics,
  }
}

function agentUse(
  use: AgentUse,
  as: string,
  { agent, toolsets, exporters }: UseScene,
  locations: UseLocations,
): Omit<BuiltUse, 'advertised'> {
  const location = locations.of()
  const exporter = exporterOf(use, { agent: agent.name, location }, exporters)
  const { diagnostics } = exporter
  if (exporter.agent === undefined) return { diagnostics }
  const tools = selectedTools(use, as, toolsets).map((tool): UsedToolIr => ({ ...tool, location }))
  return {
    use: { provider: 'agent', toolset: use.toolset.name, as, agent: exporter.agent, tools, location },
    diagnostics,
  }
}

function mcpUse(
  use: McpUse,
  as: string,
  { toolsets }: UseScene,
  locations: UseLocations,
): Omit<BuiltUse, 'advertised'> {
  const tools = selectedTools(use, as, toolsets).map((tool) => buildMcpTool(use, tool, locations))
  return { use: { provider: 'mcp', toolset: use.toolset.name, as, tools, location: locations.of() }, diagnostics: [] }
}

function openApiUse(
  use: OpenApiUse,
  as: string,
  { toolsets }: UseScene,
  locations: UseLocations,
): Omit<BuiltUse, 'advertised'> {
  const location = locations.of()
  const tools = selectedTools(use, as, toolsets).map((tool): UsedToolIr => ({ ...tool, location }))
  return { use: { provider: 'openapi', toolset: use.toolset.name, as, tools, location }, diagnostics: [] }
}

/** The tools that `only` selects, in the order of the toolset, with the names that the agent's model sees. */
function selectedTools(
  use: ToolsetUse,
  as: string,
  toolsets: ReadonlyMap<string, UnnamedToolset>,
): readonly Omit<UsedToolIr, 'location'>[] {
  return (toolsets.get(use.toolset.name)?.tools ?? [])
    .filter(({ name }) => use.only === undefined || use.only.includes(name))
    .map(({ name }) => {
      const override = own(use.toolset.tools, name)?.toolName
      return { tool: name, toolName: own(use.rename ?? {}, name) ?? override ?? defaultToolName(as, name) }
    })
}

/** The names that the use gives are legal. */
function renameFaults(use: ToolsetUse, { toolsets }: UseScene, { of }: UseLocations): readonly Diagnostic[] {
  return selectedTools(use, '', toolsets).flatMap(({ tool }) => {
    const renamed = own(use.rename ?? {}, tool)
    return renamed === undefined ? [] : toolNameFaults(renamed, tool, of('rename', tool))
  })
}

function emptyName(location: SourceLocation): Diagnostic {
  return {
    code: 'TG2006',
    severity: 'error',
    message: 'The name given with `as` is empty.',
    location,
    next: 'Give it a name.',
  }
}

function notExported(as: string, location: SourceLocation): Diagnostic {
  return {
    code: 'TG2060',
    severity: 'error',
    message: `The service client of \`${as}\` is not exported, so generated code cannot refer to its type.`,
    location,
    next: 'Export it from a module of its own: `export const client = serviceClient<Client>()`.',
  }
}
