import { deepEqual } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import { type Json, own, type SchemaObject } from '../schema/json-schema.js'
import { byCodePoint } from '../text.js'
import {
  type ChangeFacts,
  type Codecs,
  type ContractChange,
  type Definitions,
  definitionsOf,
  newChange,
  type Subject,
} from './change.js'
import type { AgentContract, Contracts, ToolContract, ToolsetContract, UseContract } from './contracts.js'
import { renamedTools } from './renames.js'
import { type About, payloadChanges, resultChanges, shownBy } from './schema-changes.js'

/** Everything in which contracts differ from those of before: toolsets by name with their tools, then agents. */
export function contractChanges(
  was: Contracts,
  is: Contracts,
  locations: DesignLocations,
  codecs: Codecs | undefined,
): readonly ContractChange[] {
  const toolNames = { was: toolNameIn(was), is: toolNameIn(is) }
  return [
    ...pairs(was.toolsets, is.toolsets).flatMap(({ name, before, now }): readonly ContractChange[] => {
      const location = placed(locations.toolset(name))
      if (now === undefined) return [newChange('toolset-removed', { subject: { toolset: name } })]
      if (before === undefined) return [newChange('toolset-added', { subject: { toolset: name }, ...location })]
      return toolsetChanges(before, now, locations, codecs)
    }),
    ...pairs(was.agents, is.agents).flatMap(({ name, before, now }): readonly ContractChange[] => {
      const location = locations.agent(name)
      if (now === undefined) return [newChange('agent-removed', { subject: { agent: name } })]
      if (before === undefined) return [newChange('agent-added', { subject: { agent: name }, ...placed(location) })]
      return agentChanges(before, now, toolNames, location)
    }),
  ]
}

function toolsetChanges(
  was: ToolsetContract,
  is: ToolsetContract,
  locations: DesignLocations,
  codecs: Codecs | undefined,
): readonly ContractChange[] {
  const toolset = { subject: { toolset: is.name }, ...placed(locations.toolset(is.name)) }
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
      const location = locations.tool(now.id)
      if (before !== undefined) return toolChanges({ was: before, is: now, definitions }, location)
      const from = renames.from.get(now.id)
      return [
        newChange('tool-added', {
          subject: { tool: now.id },
          ...(from !== undefined && { rename: { from } }),
          ...placed(location),
        }),
      ]
    }),
  ]
}

function placed<Location>(location: Location | undefined): { readonly location?: Location } {
  return location === undefined ? {} : { location }
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

function toolNameIn({ toolsets }: Contracts): ToolNameOf {
  return (toolset, tool) => {
    const found: ToolContract | undefined = toolsets.get(toolset)?.tools.get(tool)
    const name = found === undefined ? undefined : own(found.about, 'toolName')
    return typeof name === 'string' ? name : undefined
  }
}

/** A tool before and now, with the definitions of its toolset. */
interface ToolVersions {
  readonly was: ToolContract
  readonly is: ToolContract
  readonly definitions: Definitions
}

/** What is said of a tool, beside its schemas, with the rule for a change of it. */
const toolRules: SaidRules = [
  ['toolName', 'tool-name-changed'],
  ['title', 'tool-title-changed'],
  ['description', 'tool-described-otherwise'],
  ['examples', 'tool-examples-changed'],
  ['callHint', 'tool-hints-changed'],
  ['resultHint', 'tool-hints-changed'],
  ['tags', 'tool-tags-changed'],
  ['annotations', 'tool-annotations-changed'],
  ['defaultLayers', 'tool-default-layers-changed'],
]

/** How a tool differs from what it was. */
function toolChanges(versions: ToolVersions, location: SourceLocation | undefined): readonly ContractChange[] {
  const { was, is, definitions } = versions
  const subject: Subject = { tool: is.id }
  const change: NewToolChange = (rule, before, now, shown) =>
    newChange(rule, {
      subject,
      ...shown,
      ...(before !== undefined && { was: before }),
      ...(now !== undefined && { is: now }),
      ...(location !== undefined && { location }),
    })
  const aboutSide = (side: Subject['side'] & string): About => ({
    subject: { ...subject, side },
    ...(location !== undefined && { location }),
  })
  const about = aboutChanges(was.about, is.about, toolRules, change)
  return [
    ...payloadChanges({ was: was.arguments, is: is.arguments }, definitions, aboutSide('arguments')),
    ...serverOwnedChanges(versions, change),
    ...resultChanges({ was: was.result, is: is.result }, definitions, aboutSide('result')),
    ...updateChanges(versions, aboutSide('updates'), change),
    ...about,
    ...confirmationChanges(versions, change),
    ...checkChanges(versions, change),
    ...(was.remote === is.remote ? [] : [change('tool-remote-name-changed', was.remote, is.remote)]),
  ]
}

type NewToolChange = (
  rule: string,
  was: Json | undefined,
  is: Json | undefined,
  shown?: Pick<ChangeFacts, 'certain' | 'witness'>,
) => ContractChange

function updateChanges(
  { was, is, definitions }: ToolVersions,
  about: About,
  change: NewToolChange,
): readonly ContractChange[] {
  const [before, now] = [was.updates, is.updates]
  if (before !== undefined && now !== undefined) return resultChanges({ was: before, is: now }, definitions, about)
  if (before === now) return []
  return [change(now === undefined ? 'tool-streams-no-more' : 'tool-streams', undefined, undefined)]
}

function confirmationChanges({ was, is }: ToolVersions, change: NewToolChange): readonly ContractChange[] {
  const [before, now] = [own(was.about, 'confirmation'), own(is.about, 'confirmation')]
  if (isSameOrAbsent(before, now)) return []
  const what = before === undefined ? 'added' : now === undefined ? 'removed' : 'changed'
  return [change(`tool-confirmation-${what}`, before, now)]
}

function checkChanges({ was, is }: ToolVersions, change: NewToolChange): readonly ContractChange[] {
  const [before, now] = [was, is].map(({ about }) => own(about, 'needsCheck') === true)
  if (before === now) return []
  return [change(now === true ? 'tool-check-added' : 'tool-check-removed', undefined, undefined)]
}

function serverOwnedChanges({ was, is, definitions }: ToolVersions, change: NewToolChange): readonly ContractChange[] {
  const [before, now] = [was, is].map(({ serverOwned }) => [...new Set(serverOwned.map(({ from }) => from))])
  const narrowed = is.serverOwned.flatMap((owned) => {
    const known = was.serverOwned.find(({ field, from }) => field === owned.field && from === owned.from)
    if (known === undefined) return []
    const { narrowed } = definitions.payload
    const all = narrowed.refusals(known.schema, owned.schema)
    const refused = narrowed.show({ taken: known.schema, taker: owned.schema, all, told: all })
    const [shown] = refused.map(shownBy).sort((a, b) => Number(b.certain) - Number(a.certain))
    return shown === undefined ? [] : [change('server-owned-narrowed', known.schema, owned.schema, shown)]
  })
  return [
    ...(now ?? [])
      .filter((from) => before?.includes(from) !== true)
      .map((from) => change('server-owned-source-added', undefined, from)),
    ...(before ?? [])
      .filter((from) => now?.includes(from) !== true)
      .map((from) => change('server-owned-source-removed', from, undefined)),
    ...narrowed,
  ]
}

/** Where a design says something; `undefined` where it does not. */
export interface DesignLocations {
  readonly toolset: (name: string) => SourceLocation | undefined
  /** By `toolset.tool`. */
  readonly tool: (id: string) => SourceLocation | undefined
  readonly agent: (name: string) => SourceLocation | undefined
}

/** The places of a design's definitions. */
export function locationsOf({ toolsets, agents }: Pick<DesignIr, 'toolsets' | 'agents'>): DesignLocations {
  const ofToolsets = new Map(toolsets.map(({ name, location }) => [name, location]))
  const ofTools = new Map(toolsets.flatMap(({ tools }) => tools.map(({ id, location }) => [id, location] as const)))
  const ofAgents = new Map(agents.map(({ name, location }) => [name, location]))
  return {
    toolset: (name) => ofToolsets.get(name),
    tool: (id) => ofTools.get(id),
    agent: (name) => ofAgents.get(name),
  }
}

/** The name that models see of a tool where no agent gives another; `undefined` where there is no such tool. */
type ToolNameOf = (toolset: string, tool: string) => string | undefined

/** The names of tools, before and now. */
interface ToolNames {
  readonly was: ToolNameOf
  readonly is: ToolNameOf
}

/** What is said of an agent, with the rule that tells of its change. */
const agentRules: SaidRules = [
  ['description', 'agent-described-otherwise'],
  ['instructions', 'agent-instructed-otherwise'],
  ['policy', 'agent-policy-changed'],
]

type NewAgentChange = (rule: string, was?: Json, is?: Json) => ContractChange

/** How an agent differs from what it was; what its toolsets say themselves is not said again. */
function agentChanges(
  was: AgentContract,
  is: AgentContract,
  names: ToolNames,
  location: SourceLocation | undefined,
): readonly ContractChange[] {
  const change: NewAgentChange = (rule, before, now) =>
    newChange(rule, {
      subject: { agent: is.name },
      ...(before !== undefined && { was: before }),
      ...(now !== undefined && { is: now }),
      ...(location !== undefined && { location }),
    })
  const uses = [...is.uses].flatMap(([as, use]): readonly ContractChange[] => {
    const before = was.uses.get(as)
    return before === undefined
      ? [change('agent-use-added', undefined, as)]
      : useChanges({ as, was: before, is: use }, names, change)
  })
  return [
    ...aboutChanges(was.about, is.about, agentRules, change),
    ...[...was.uses.keys()].filter((as) => !is.uses.has(as)).map((as) => change('agent-use-removed', as)),
    ...uses,
    ...was.exports.filter((name) => !is.exports.includes(name)).map((name) => change('agent-export-removed', name)),
    ...is.exports
      .filter((name) => !was.exports.includes(name))
      .map((name) => change('agent-export-added', undefined, name)),
  ]
}

interface Uses {
  readonly as: string
  readonly was: UseContract
  readonly is: UseContract
}

function useChanges({ as, was, is }: Uses, names: ToolNames, change: NewAgentChange): readonly ContractChange[] {
  const server = ({ toolset, provider, agent }: UseContract): string =>
    `${toolset} by ${provider}${agent === undefined ? '' : ` ${agent}`}`
  if (server(was) !== server(is)) return [change('agent-use-changed', `${as}: ${server(was)}`, `${as}: ${server(is)}`)]
  return [
    ...[...was.tools.keys()]
      // That the toolset has it no more is told of the tool.
      .filter((tool) => !is.tools.has(tool) && names.is(is.toolset, tool) !== undefined)
      .map((tool) => change('agent-tool-removed', `${as}.${tool}`)),
    ...[...is.tools].flatMap(([tool, name]): readonly ContractChange[] => {
      const before = was.tools.get(tool)
      if (before === undefined) {
        const isNew = names.was(is.toolset, tool) === undefined
        return isNew ? [] : [change('agent-tool-added', undefined, `${as}.${tool}`)]
      }
      const isTheTools = before === names.was(is.toolset, tool) && name === names.is(is.toolset, tool)
      return before === name || isTheTools ? [] : [change('agent-tool-name-changed', before, name)]
    }),
  ]
}

/** What is said of something, by key, with the rule for a change of it. */
type SaidRules = readonly (readonly [key: string, rule: string])[]

/** The changes of what is said of something. */
function aboutChanges(
  was: SchemaObject,
  is: SchemaObject,
  said: SaidRules,
  change: (rule: string, was: Json | undefined, is: Json | undefined) => ContractChange,
): readonly ContractChange[] {
  return said.flatMap(([key, rule]) => {
    const [before, now] = [own(was, key), own(is, key)]
    return isSameOrAbsent(before, now) ? [] : [change(rule, before, now)]
  })
}

/** Whether both say the same, or neither says anything. */
function isSameOrAbsent(was: Json | undefined, is: Json | undefined): boolean {
  return was === undefined || is === undefined ? was === is : deepEqual(was, is)
}
