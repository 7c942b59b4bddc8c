import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import { type Json, own } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import { type Compare, type ContractChange, compareFor, newChange } from './change.js'
import type { AgentContract, Contracts, ToolContract, ToolsetContract, UseContract } from './contracts.js'
import { type Codecs, Definitions } from './definitions.js'
import { renamedTools } from './renames.js'
import { type KeyRules, toolChanges } from './tool-changes.js'

/** Returns all changes, sorted by name: first those of toolsets and their tools, then those of agents. */
export function contractChanges(
  before: Contracts,
  after: Contracts,
  locations: DesignLocations,
  codecs: Codecs | undefined,
): readonly ContractChange[] {
  return [
    ...pairs(before.toolsets, after.toolsets).flatMap(({ name, was, is }) => {
      const location = locations.toolsets.get(name)
      if (is === undefined) return [newChange('toolset-removed', { toolset: name })]
      if (was === undefined) return [newChange('toolset-added', { toolset: name }, { location })]
      return toolsetChanges(was, is, locations, codecs)
    }),
    ...pairs(before.agents, after.agents).flatMap(({ name, was, is }) => {
      const location = locations.agents.get(name)
      if (is === undefined) return [newChange('agent-removed', { agent: name })]
      if (was === undefined) return [newChange('agent-added', { agent: name }, { location })]
      return agentChanges(was, is, before, after, location)
    }),
  ]
}

function pairs<Contract>(
  before: ReadonlyMap<string, Contract>,
  after: ReadonlyMap<string, Contract>,
): readonly { readonly name: string; readonly was: Contract | undefined; readonly is: Contract | undefined }[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort(byCodePoint)
  return names.map((name) => ({ name, was: before.get(name), is: after.get(name) }))
}

export interface DesignLocations {
  readonly toolsets: ReadonlyMap<string, SourceLocation>
  readonly tools: ReadonlyMap<string, SourceLocation>
  readonly agents: ReadonlyMap<string, SourceLocation>
}

export function locationsOf({ toolsets, agents }: Pick<DesignIr, 'toolsets' | 'agents'>): DesignLocations {
  return {
    toolsets: new Map(toolsets.map(({ name, location }) => [name, location])),
    tools: new Map(toolsets.flatMap(({ tools }) => tools.map(({ id, location }) => [id, location] as const))),
    agents: new Map(agents.map(({ name, location }) => [name, location])),
  }
}

function toolsetChanges(
  before: ToolsetContract,
  after: ToolsetContract,
  locations: DesignLocations,
  codecs: Codecs | undefined,
): readonly ContractChange[] {
  const location = locations.toolsets.get(after.name)
  const compare = compareFor({ toolset: after.name }, location)
  const definitions = new Definitions(before.defs, after.defs, codecs)
  const renames = renamedTools(before, after, definitions)
  return [
    ...compare('toolset-namespace-changed', before.namespace, after.namespace),
    ...compare('toolset-described-otherwise', before.description, after.description),
    ...Object.keys(before.defs)
      .filter((name) => !Object.hasOwn(after.defs, name))
      .flatMap((name) => compare('type-removed', name)),
    ...pairs(before.tools, after.tools).flatMap(({ was, is }) => {
      if (is === undefined) {
        if (was === undefined) return []
        const to = renames.to.get(was.id)
        return [
          newChange('tool-removed', { tool: was.id }, { location, rename: to === undefined ? undefined : { to } }),
        ]
      }
      const toolLocation = locations.tools.get(is.id)
      if (was !== undefined) return toolChanges(was, is, definitions, toolLocation)
      const from = renames.from.get(is.id)
      const rename = from === undefined ? undefined : { from }
      return [newChange('tool-added', { tool: is.id }, { location: toolLocation, rename })]
    }),
  ]
}

const agentRules: KeyRules = [
  ['description', 'agent-described-otherwise'],
  ['instructions', 'agent-instructed-otherwise'],
  ['policy', 'agent-policy-changed'],
  ['maxResult', 'agent-max-result-changed'],
  ['maxResults', 'agent-max-result-changed'],
]

function agentChanges(
  before: AgentContract,
  after: AgentContract,
  oldContracts: Contracts,
  newContracts: Contracts,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const compare = compareFor({ agent: after.name }, location)
  return [
    ...agentRules.flatMap(([key, rule]) => compare(rule, own(before.about, key), own(after.about, key))),
    ...[...before.uses.keys()].filter((as) => !after.uses.has(as)).flatMap((as) => compare('agent-use-removed', as)),
    ...[...after.uses].flatMap(([as, use]) => {
      const was = before.uses.get(as)
      if (was === undefined) return compare('agent-use-added', undefined, as)
      return useChanges(as, was, use, toolNames(oldContracts, use), toolNames(newContracts, use), compare)
    }),
    ...before.exports
      .filter((name) => !after.exports.includes(name))
      .flatMap((name) => compare('agent-export-removed', name)),
    ...after.exports
      .filter((name) => !before.exports.includes(name))
      .flatMap((name) => compare('agent-export-added', undefined, name)),
  ]
}

function toolNames({ toolsets }: Contracts, { toolset }: UseContract): ReadonlyMap<string, Json | undefined> {
  const tools = toolsets.get(toolset)?.tools ?? new Map<string, ToolContract>()
  return new Map([...tools].map(([name, { about }]) => [name, own(about, 'toolName')]))
}

function useChanges(
  as: string,
  before: UseContract,
  after: UseContract,
  oldNames: ReadonlyMap<string, Json | undefined>,
  newNames: ReadonlyMap<string, Json | undefined>,
  compare: Compare,
): readonly ContractChange[] {
  const [old, recent] = [before, after].map(
    ({ toolset, provider, agent }) => `${as}: ${toolset} by ${provider}${agent === undefined ? '' : ` ${agent}`}`,
  )
  if (old !== recent) return compare('agent-use-changed', old, recent)
  return [
    ...[...before.tools.keys()]
      .filter((tool) => !after.tools.has(tool) && newNames.has(tool))
      .flatMap((tool) => compare('agent-tool-removed', `${as}.${tool}`)),
    ...[...after.tools].flatMap(([tool, name]) => {
      const was = before.tools.get(tool)
      if (was === undefined) {
        return oldNames.has(tool) ? compare('agent-tool-added', undefined, `${as}.${tool}`) : []
      }
      const isToolsetName = was === oldNames.get(tool) && name === newNames.get(tool)
      return isToolsetName ? [] : compare('agent-tool-name-changed', was, name)
    }),
  ]
}
