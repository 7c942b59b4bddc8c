import type { AgentValue } from '@toolgen/dsl'
import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import { isObject } from '../../schema/json/json.js'
import { toJson } from '../../schema/json/to-json.js'
import { toolsetOfExport } from '../rules/exporters.js'
import { notJson } from '../rules/not-json.js'
import { descriptionFaults } from '../rules/texts.js'
import { type AdvertisedTool, wireNameClashes } from '../rules/wire-names.js'
import type { AgentIr } from '../types.js'
import { buildExport, type UnnamedExport } from './build-export.js'
import type { UnnamedToolset } from './build-toolset.js'
import { buildUse, type UnnamedUse, type UseScene } from './build-use.js'

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
