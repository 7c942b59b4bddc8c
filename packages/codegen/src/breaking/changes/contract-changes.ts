import { own } from '../../schema/json/json.js'
import { byCodePoint } from '../../text/by-code-point.js'
import type { Contracts, ToolContract, ToolsetContract } from '../contracts/contracts.js'
import { agentChanges, type WireNameOf } from './agent-changes.js'
import { type ContractChange, newChange } from './change.js'
import { type Codecs, definitionsOf } from './definitions.js'
import type { DesignPlaces } from './design-places.js'
import { renamedTools } from './renamed-tools.js'
import { toolChanges } from './tool-changes.js'

/** Everything in which contracts differ from those of before: toolsets by name with their tools, then agents. */
export function contractChanges(
  was: Contracts,
  is: Contracts,
  places: DesignPlaces,
  codecs: Codecs | undefined,
): readonly ContractChange[] {
  const wireNames = { was: wireNameIn(was), is: wireNameIn(is) }
  return [
    ...pairs(was.toolsets, is.toolsets).flatMap(({ name, before, now }): readonly ContractChange[] => {
      const place = placed(places.toolset(name))
      if (now === undefined) return [newChange('toolset-removed', { subject: { toolset: name } })]
      if (before === undefined) return [newChange('toolset-added', { subject: { toolset: name }, ...place })]
      return toolsetChanges(before, now, places, codecs)
    }),
    ...pairs(was.agents, is.agents).flatMap(({ name, before, now }): readonly ContractChange[] => {
      const place = places.agent(name)
      if (now === undefined) return [newChange('agent-removed', { subject: { agent: name } })]
      if (before === undefined) return [newChange('agent-added', { subject: { agent: name }, ...placed(place) })]
      return agentChanges(before, now, wireNames, place)
    }),
  ]
}

function toolsetChanges(
  was: ToolsetContract,
  is: ToolsetContract,
  places: DesignPlaces,
  codecs: Codecs | undefined,
): readonly ContractChange[] {
  const toolset = { subject: { toolset: is.name }, ...placed(places.toolset(is.name)) }
  const definitions = definitionsOf(was.defs, is.defs, codecs)
  const renames = renamedTools(was, is, definitions)
  const texts = [
    ['namespace', 'toolset-namespace-changed'],
    ['description', 'toolset-described-otherwise'],
  ] as const
  return [
    ...texts
      .filter(([key]) => was[key] !== is[key])
      .map(([key, rule]) => newChange(rule, { ...toolset, was: was[key], is: is[key] })),
    ...Object.keys(was.defs)
      .filter((name) => !Object.hasOwn(is.defs, name))
      .map((name) => newChange('type-removed', { ...toolset, was: name })),
    ...pairs(was.tools, is.tools).flatMap(({ before, now }): readonly ContractChange[] => {
      if (now === undefined) {
        if (before === undefined) return []
        const to = renames.to.get(before.id)
        return [
          newChange('tool-removed', {
            ...toolset,
            subject: { tool: before.id },
            ...(to !== undefined && { rename: { to } }),
          }),
        ]
      }
      const place = places.tool(now.id)
      if (before !== undefined) return toolChanges({ was: before, is: now, definitions }, place)
      const from = renames.from.get(now.id)
      return [
        newChange('tool-added', {
          subject: { tool: now.id },
          ...(from !== undefined && { rename: { from } }),
          ...placed(place),
        }),
      ]
    }),
  ]
}

function placed<Place>(place: Place | undefined): { readonly place?: Place } {
  return place === undefined ? {} : { place }
}

interface Pair<Contract> {
  readonly name: string
  readonly before: Contract | undefined
  readonly now: Contract | undefined
}

/** What both have under each name, sorted by name. */
function pairs<Contract>(
  was: ReadonlyMap<string, Contract>,
  is: ReadonlyMap<string, Contract>,
): readonly Pair<Contract>[] {
  const names = [...new Set([...was.keys(), ...is.keys()])].sort(byCodePoint)
  return names.map((name) => ({ name, before: was.get(name), now: is.get(name) }))
}

function wireNameIn({ toolsets }: Contracts): WireNameOf {
  return (toolset, tool) => {
    const found: ToolContract | undefined = toolsets.get(toolset)?.tools.get(tool)
    const name = found === undefined ? undefined : own(found.about, 'wireName')
    return typeof name === 'string' ? name : undefined
  }
}
