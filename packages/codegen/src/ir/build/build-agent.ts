import type { AgentValue, ServiceUseValue } from '@toolgen/dsl'
import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import type { LoadedDesign } from '../../load/loaded-design.js'
import { isObject, own } from '../../schema/json/json.js'
import { toJson } from '../../schema/json/to-json.js'
import { descriptionFaults } from '../rules/texts.js'
import { useNameFaults } from '../rules/use-names.js'
import { defaultWireName } from '../rules/wire-name.js'
import { type AdvertisedTool, wireNameClashes, wireNameFaults } from '../rules/wire-names.js'
import type { AgentIr, BindingPlaces, ExportIr, ServiceToolIr, ServiceUseIr } from '../types.js'
import type { UnnamedToolset } from './build-toolset.js'

/** Places within one use of an agent. */
interface UsePlaces {
  readonly of: (...path: readonly (string | number)[]) => SourcePlace
  readonly ofValue: (...path: readonly (string | number)[]) => SourcePlace
}

/** A use before it has identifiers. */
export type UnnamedUse = Omit<ServiceUseIr, 'names'>

/** An agent before it has identifiers. */
export type UnnamedAgent = Omit<AgentIr, 'names' | 'uses'> & { readonly uses: readonly UnnamedUse[] }

interface AgentContext {
  readonly agent: AgentValue
  readonly loaded: LoadedDesign
  readonly toolsets: ReadonlyMap<string, UnnamedToolset>
}

/**
 * Builds an agent and checks every rule that concerns it.
 *
 * @param toolsets those that could be built, by name
 */
export function buildAgent(
  agent: AgentValue,
  loaded: LoadedDesign,
  toolsets: ReadonlyMap<string, UnnamedToolset>,
): { readonly agent: UnnamedAgent; readonly diagnostics: readonly Diagnostic[] } {
  const placeOf = (...path: readonly (string | number)[]) => loaded.places.placeOf(agent, ...path)
  const context: AgentContext = { agent, loaded, toolsets }
  const { name, description, instructions, policy } = agent
  const diagnostics = [...descriptionFaults(`the agent \`${name}\``, description, placeOf('description'))]
  const built = agent.uses.map((use, index) => buildUse(use, index, context))
  const uses = built.flatMap(({ use }) => (use === undefined ? [] : [use]))
  const limits = policy === undefined ? undefined : toJson(policy)
  if (limits?.ok === false) diagnostics.push(notJson('policy', limits.message, placeOf('policy')))
  diagnostics.push(
    ...built.flatMap((one) => one.diagnostics),
    ...usedTwice(agent, placeOf),
    ...wireNameClashes(
      name,
      'uses',
      built.flatMap(({ advertised }) => advertised),
    ),
  )
  diagnostics.push(...wireNameClashes(name, 'exports', offeredTools(agent, toolsets, placeOf)))
  const exported: readonly ExportIr[] = agent.exports.map((toolset, index) => ({
    toolset: toolset.name,
    place: placeOf('exports', index),
  }))
  const value: UnnamedAgent = {
    name,
    description,
    ...(instructions === undefined ? {} : { instructions }),
    ...(limits?.ok && isObject(limits.json) ? { policy: limits.json } : {}),
    uses,
    exports: exported,
    place: placeOf(),
  }
  return { agent: value, diagnostics }
}

/** The tools that an agent offers, each toolset once. */
function offeredTools(
  agent: AgentValue,
  toolsets: ReadonlyMap<string, UnnamedToolset>,
  placeOf: (...path: readonly (string | number)[]) => SourcePlace,
): readonly AdvertisedTool[] {
  const places = new Map(
    [...agent.exports.entries()].reverse().map(([index, { name }]) => [name, placeOf('exports', index)]),
  )
  return [...places]
    .reverse()
    .flatMap(([name, place]) =>
      (toolsets.get(name)?.tools ?? []).map(({ name: tool, wireName }) => ({ as: name, tool, wireName, place })),
    )
}

function buildUse(
  use: ServiceUseValue,
  index: number,
  context: AgentContext,
): {
  readonly use?: UnnamedUse
  readonly advertised: readonly AdvertisedTool[]
  readonly diagnostics: readonly Diagnostic[]
} {
  const { agent, loaded, toolsets } = context
  const ofValue = (...path: readonly (string | number)[]) => loaded.places.valuePlaceOf(agent, ['uses', index, ...path])
  const placeOf = (...path: readonly (string | number)[]) => loaded.places.placeOf(agent, 'uses', index, ...path)
  const diagnostics = [...useNameFaults(use, placeOf)]
  const as = use.as ?? use.toolset.name
  if (as.trim() === '') diagnostics.push(emptyName(placeOf('as')))
  const client = loaded.clients.get(use.client)
  if (client === undefined) diagnostics.push(notExported(as, placeOf()))
  const tools: ServiceToolIr[] = []
  const advertised: AdvertisedTool[] = []
  for (const tool of toolsets.get(use.toolset.name)?.tools ?? []) {
    if (use.only !== undefined && !use.only.includes(tool.name)) continue
    const built = buildServiceTool(use, tool.name, { of: placeOf, ofValue })
    diagnostics.push(...built.diagnostics)
    const override = own(use.toolset.tools, tool.name)?.wireName
    const renamed = own(use.rename ?? {}, tool.name)
    if (renamed !== undefined) diagnostics.push(...wireNameFaults(renamed, tool.name, placeOf('rename', tool.name)))
    const wireName = renamed ?? override ?? defaultWireName(as, tool.name)
    tools.push({ ...built.tool, wireName })
    const place = renamed === undefined ? built.tool.place : placeOf('rename', tool.name)
    if (client !== undefined) advertised.push({ as, tool: tool.name, wireName, place })
  }
  if (client === undefined) return { advertised, diagnostics }
  const { module, path } = client
  const toolset = use.toolset.name
  const value: UnnamedUse = { provider: 'service', toolset, as, client: { module, path }, tools, place: placeOf() }
  return { use: value, advertised, diagnostics }
}

function buildServiceTool(
  use: ServiceUseValue,
  name: string,
  places: UsePlaces,
): { readonly tool: Omit<ServiceToolIr, 'wireName'>; readonly diagnostics: readonly Diagnostic[] } {
  const said = own(use.tools ?? {}, name)
  const binding = said ?? {}
  const diagnostics: Diagnostic[] = []
  const constants = toJson(binding.constants ?? {})
  if (!constants.ok) diagnostics.push(notJson('constants', constants.message, places.of('tools', name, 'constants')))
  return {
    tool: {
      tool: name,
      method: binding.method ?? name,
      rename: Object.fromEntries(Object.entries(binding.rename ?? {})),
      constants: constants.ok && isObject(constants.json) ? constants.json : {},
      result: binding.result ?? 'declared',
      place: said === undefined ? places.of() : places.of('tools', name),
      ...(said === undefined ? {} : { parts: bindingPlaces(name, said, places) }),
    },
    diagnostics,
  }
}

function bindingPlaces(
  tool: string,
  { method, rename = {}, constants = {} }: NonNullable<ServiceUseValue['tools']>[string],
  { of, ofValue }: UsePlaces,
): BindingPlaces {
  const entries = (field: 'rename' | 'constants', names: readonly string[]): BindingPlaces['rename'] =>
    Object.fromEntries(
      names.map((name) => [name, { name: of('tools', tool, field, name), value: ofValue('tools', tool, field, name) }]),
    )
  return {
    ...(method === undefined ? {} : { method: ofValue('tools', tool, 'method') }),
    rename: entries('rename', Object.keys(rename)),
    constants: entries('constants', Object.keys(constants)),
  }
}

/** An agent has one use for each name, and offers a toolset once. */
function usedTwice(
  agent: AgentValue,
  placeOf: (...path: readonly (string | number)[]) => SourcePlace,
): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const names = new Set<string>()
  for (const [index, use] of agent.uses.entries()) {
    const as = use.as ?? use.toolset.name
    if (names.has(as)) found.push(sameUse(agent.name, as, use.as === undefined, placeOf('uses', index)))
    names.add(as)
  }
  const exported = new Set<string>()
  for (const [index, toolset] of agent.exports.entries()) {
    if (exported.has(toolset.name)) {
      found.push({
        code: 'TG2013',
        severity: 'error',
        message: `\`${agent.name}\` offers the toolset \`${toolset.name}\` twice.`,
        place: placeOf('exports', index),
        next: 'Remove one of them from `exports`.',
      })
    }
    exported.add(toolset.name)
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

function notJson(field: string, message: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2005',
    severity: 'error',
    message: `\`${field}\` must be plain JSON: ${message}.`,
    place,
    next: 'Give values that JSON can carry.',
  }
}
