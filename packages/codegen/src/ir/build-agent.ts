import type {
  AgentUseValue,
  AgentValue,
  ExportedToolValue,
  ExportValue,
  McpUseValue,
  OpenApiUseValue,
  ServiceUseValue,
  ToolsetValue,
  UseValue,
} from '@toolgen/dsl'
import type { Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import type { LoadedDesign, Places } from '../load/loaded-design.js'
import { isObject, own } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { buildMcpTool, buildServiceTool, type UsePlaces } from './build-tools.js'
import type { UnnamedToolset } from './build-toolset.js'
import { type Exporters, exporterOf, toolsetOfExport } from './exporters.js'
import {
  type AdvertisedTool,
  defaultWireName,
  unknownTool,
  useNameFaults,
  wireNameClashes,
  wireNameFaults,
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
type PlaceOf = (...path: readonly (string | number)[]) => SourcePlace

/** Builds an agent and checks every rule that concerns it. */
export function buildAgent(
  agent: AgentValue,
  design: Omit<UseScene, 'agent'>,
): { readonly agent: UnnamedAgent; readonly diagnostics: readonly Diagnostic[] } {
  const { loaded, toolsets } = design
  const placeOf: PlaceOf = (...path) => loaded.places.placeOf(agent, ...path)
  const { name, description, instructions, policy, lint } = agent
  const diagnostics = [...descriptionFaults(`the agent \`${name}\``, description, placeOf('description'))]
  const uses = agent.uses.map((use, index) => buildUse(use, index, { ...design, agent }))
  const exported = agent.exports.map((offer, index) =>
    buildExport(offer, index, { agent, places: loaded.places, toolsets }),
  )
  const limits = policy === undefined ? undefined : toJson(policy)
  if (limits?.ok === false) diagnostics.push(notJson('policy', limits.message, placeOf('policy')))
  diagnostics.push(
    ...uses.flatMap((one) => one.diagnostics),
    ...exported.flatMap((one) => one.diagnostics),
    ...usedTwice(agent, placeOf),
    ...wireNameClashes(
      name,
      'uses',
      uses.flatMap(({ advertised }) => advertised),
    ),
    ...wireNameClashes(name, 'exports', offeredTools(agent, toolsets, placeOf)),
  )
  const value: UnnamedAgent = {
    name,
    description,
    ...(instructions === undefined ? {} : { instructions }),
    ...(limits?.ok && isObject(limits.json) ? { policy: limits.json } : {}),
    uses: uses.flatMap(({ use }) => (use === undefined ? [] : [use])),
    exports: exported.map(({ offer }) => offer),
    ...(lint !== undefined && { lint: { ...lint } }),
    place: placeOf(),
  }
  return { agent: value, diagnostics }
}

/** The tools that an agent offers, each toolset once. */
function offeredTools(
  agent: AgentValue,
  toolsets: ReadonlyMap<string, UnnamedToolset>,
  placeOf: PlaceOf,
): readonly AdvertisedTool[] {
  const names = agent.exports.map((offer) => toolsetOfExport(offer).name)
  return names.flatMap((name, index) => {
    if (names.indexOf(name) !== index) return []
    const place = placeOf('exports', index)
    const tools = toolsets.get(name)?.tools ?? []
    return tools.map(({ name: tool, wireName }) => ({ as: name, tool, wireName, place }))
  })
}

/** An agent has one use for each name, and offers a toolset once. */
function usedTwice(agent: AgentValue, placeOf: PlaceOf): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const names = new Set<string>()
  for (const [index, use] of agent.uses.entries()) {
    const as = use.as ?? use.toolset.name
    if (names.has(as)) found.push(sameUse(agent.name, as, use.as === undefined, placeOf('uses', index)))
    names.add(as)
  }
  const exported = new Set<string>()
  for (const [index, offer] of agent.exports.entries()) {
    const { name } = toolsetOfExport(offer)
    if (exported.has(name)) found.push(sameExport(agent.name, name, placeOf('exports', index)))
    exported.add(name)
  }
  return found
}

function sameUse(agent: string, as: string, byName: boolean, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2012',
    severity: 'error',
    message: byName ? `\`${agent}\` uses the toolset \`${as}\` twice.` : `\`${agent}\` has two uses named \`${as}\`.`,
    place,
    next: `Give one of them another name with \`as\`, e.g. \`as: '${as}2'\`.`,
  }
}

function sameExport(agent: string, toolset: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2013',
    severity: 'error',
    message: `\`${agent}\` offers the toolset \`${toolset}\` twice.`,
    place,
    next: 'Remove one of them from `exports`.',
  }
}

/** An export before it has identifiers. */
type UnnamedExport = Omit<ExportIr, 'names'>

/** Builds what an agent exports at an index and checks what is said of its tools. */
function buildExport(
  offer: ToolsetValue | ExportValue,
  index: number,
  scene: {
    readonly agent: AgentValue
    readonly places: Places
    readonly toolsets: ReadonlyMap<string, UnnamedToolset>
  },
): { readonly offer: UnnamedExport; readonly diagnostics: readonly Diagnostic[] } {
  const { agent, places } = scene
  const placeOf = (...path: readonly string[]) => places.placeOf(agent, 'exports', index, ...path)
  const toolset = toolsetOfExport(offer)
  const said = offer['~toolgen'] === 'export' ? offer.tools : {}
  const known = Object.keys(toolset.tools)
  const diagnostics = Object.keys(said)
    .filter((tool) => !known.includes(tool))
    .map((tool) => unknownTool('tools', tool, toolset.name, known, placeOf('tools', tool)))
  const built = scene.toolsets.get(toolset.name)
  const tools = (built?.tools ?? []).flatMap(({ name, payload, result }): readonly ExportedToolIr[] => {
    const settings = own(said, name)
    if (settings === undefined) return []
    diagnostics.push(
      ...exportedToolFaults(name, settings, { payload, result }, built?.defs ?? {}, {
        placeOf: (field) => placeOf('tools', name, field),
        templatePart: (part) => places.valuePlaceOf(agent, ['exports', index, 'tools', name, 'template'], part),
      }),
    )
    const facts = factsOf(settings)
    return Object.keys(facts).length === 0 ? [] : [{ tool: name, ...facts }]
  })
  return { offer: { toolset: toolset.name, tools, place: placeOf() }, diagnostics }
}

/** What differs from saying nothing. */
function factsOf({ text, template, systemPrompt, prose }: ExportedToolValue): Omit<ExportedToolIr, 'tool'> {
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
  readonly agent: AgentValue
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
function buildUse(use: UseValue, index: number, scene: UseScene): BuiltUse {
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
