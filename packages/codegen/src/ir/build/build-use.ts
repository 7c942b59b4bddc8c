import type { AgentUseValue, AgentValue, McpUseValue, OpenApiUseValue, ServiceUseValue, UseValue } from '@toolgen/dsl'
import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import type { LoadedDesign } from '../../load/loaded-design.js'
import { own } from '../../schema/json/json.js'
import { type Exporters, exporterOf } from '../rules/exporters.js'
import { useNameFaults } from '../rules/use-names.js'
import { defaultWireName } from '../rules/wire-name.js'
import { type AdvertisedTool, wireNameFaults } from '../rules/wire-names.js'
import type { AgentUseIr, McpUseIr, OpenApiUseIr, ServiceUseIr, UsedToolIr } from '../types.js'
import { buildMcpTool } from './build-mcp-tool.js'
import { buildServiceTool, type UsePlaces } from './build-service-tool.js'
import type { UnnamedToolset } from './build-toolset.js'

/** A use before it has identifiers. */
export type UnnamedUse =
  | Omit<ServiceUseIr, 'names'>
  | Omit<AgentUseIr, 'names'>
  | Omit<McpUseIr, 'names'>
  | Omit<OpenApiUseIr, 'names'>

/** Where a use stands, and what it may refer to. */
export interface UseScene {
  readonly agent: AgentValue
  readonly loaded: LoadedDesign
  /** Those that could be built, by name. */
  readonly toolsets: ReadonlyMap<string, UnnamedToolset>
  readonly exporters: Exporters
}

/** A use with the tools that the agent's model sees; `use` is absent where nothing serves it. */
export interface BuiltUse {
  readonly use?: UnnamedUse
  readonly advertised: readonly AdvertisedTool[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Builds the use at an index of an agent's list and checks every rule that concerns it. */
export function buildUse(use: UseValue, index: number, scene: UseScene): BuiltUse {
  const { agent, loaded } = scene
  const places: UsePlaces = {
    of: (...path) => loaded.places.placeOf(agent, 'uses', index, ...path),
    ofValue: (...path) => loaded.places.valuePlaceOf(agent, ['uses', index, ...path]),
  }
  const as = use.as ?? use.toolset.name
  const named = [
    ...useNameFaults(use, places.of),
    ...(as.trim() === '' ? [emptyName(places.of('as'))] : []),
    ...renameFaults(use, scene, places),
  ]
  const built = providedUse(use, as, scene, places)
  const tools = built.use?.tools ?? []
  return {
    ...built,
    advertised: tools.map(({ tool, wireName, place }) => ({
      as,
      tool,
      wireName,
      place: own(use.rename ?? {}, tool) === undefined ? place : places.of('rename', tool),
    })),
    diagnostics: [...named, ...built.diagnostics],
  }
}

function providedUse(use: UseValue, as: string, scene: UseScene, places: UsePlaces): Omit<BuiltUse, 'advertised'> {
  switch (use.provider) {
    case 'service':
      return serviceUse(use, as, scene, places)
    case 'agent':
      return agentUse(use, as, scene, places)
    case 'mcp':
      return mcpUse(use, as, scene, places)
    case 'openapi':
      return openApiUse(use, as, scene, places)
  }
}

function serviceUse(
  use: ServiceUseValue,
  as: string,
  { loaded, toolsets }: UseScene,
  places: UsePlaces,
): Omit<BuiltUse, 'advertised'> {
  const built = selectedTools(use, as, toolsets).map((tool) => buildServiceTool(use, tool, places))
  const diagnostics = built.flatMap((one) => one.diagnostics)
  const client = loaded.clients.get(use.client)
  if (client === undefined) return { diagnostics: [notExported(as, places.of()), ...diagnostics] }
  const { module, path } = client
  const tools = built.map(({ tool }) => tool)
  const place = places.of()
  return {
    use: { provider: 'service', toolset: use.toolset.name, as, client: { module, path }, tools, place },
    diagnostics,
  }
}

function agentUse(
  use: AgentUseValue,
  as: string,
  { agent, toolsets, exporters }: UseScene,
  places: UsePlaces,
): Omit<BuiltUse, 'advertised'> {
  const place = places.of()
  const exporter = exporterOf(use, { agent: agent.name, place }, exporters)
  const { diagnostics } = exporter
  if (exporter.agent === undefined) return { diagnostics }
  const tools = selectedTools(use, as, toolsets).map((tool): UsedToolIr => ({ ...tool, place }))
  return { use: { provider: 'agent', toolset: use.toolset.name, as, agent: exporter.agent, tools, place }, diagnostics }
}

function mcpUse(use: McpUseValue, as: string, { toolsets }: UseScene, places: UsePlaces): Omit<BuiltUse, 'advertised'> {
  const tools = selectedTools(use, as, toolsets).map((tool) => buildMcpTool(use, tool, places))
  return { use: { provider: 'mcp', toolset: use.toolset.name, as, tools, place: places.of() }, diagnostics: [] }
}

function openApiUse(
  use: OpenApiUseValue,
  as: string,
  { toolsets }: UseScene,
  places: UsePlaces,
): Omit<BuiltUse, 'advertised'> {
  const place = places.of()
  const tools = selectedTools(use, as, toolsets).map((tool): UsedToolIr => ({ ...tool, place }))
  return { use: { provider: 'openapi', toolset: use.toolset.name, as, tools, place }, diagnostics: [] }
}

/** The tools that `only` selects, in the order of the toolset, with the names that the agent's model sees. */
function selectedTools(
  use: UseValue,
  as: string,
  toolsets: ReadonlyMap<string, UnnamedToolset>,
): readonly Omit<UsedToolIr, 'place'>[] {
  return (toolsets.get(use.toolset.name)?.tools ?? [])
    .filter(({ name }) => use.only === undefined || use.only.includes(name))
    .map(({ name }) => {
      const override = own(use.toolset.tools, name)?.wireName
      return { tool: name, wireName: own(use.rename ?? {}, name) ?? override ?? defaultWireName(as, name) }
    })
}

/** The names that the use gives are legal. */
function renameFaults(use: UseValue, { toolsets }: UseScene, { of }: UsePlaces): readonly Diagnostic[] {
  return selectedTools(use, '', toolsets).flatMap(({ tool }) => {
    const renamed = own(use.rename ?? {}, tool)
    return renamed === undefined ? [] : wireNameFaults(renamed, tool, of('rename', tool))
  })
}

function emptyName(place: SourcePlace): Diagnostic {
  return {
    code: 'TG2006',
    severity: 'error',
    message: 'The name given with `as` is empty.',
    place,
    next: 'Give it a name.',
  }
}

function notExported(as: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2060',
    severity: 'error',
    message: `The service client of \`${as}\` is not exported, so generated code cannot refer to its type.`,
    place,
    next: 'Export it from a module of its own: `export const client = serviceClient<Client>()`.',
  }
}
