import type { SourcePlace } from '../../diagnostics/diagnostic.js'
import type { Json } from '../../schema/json/json-schema.js'
import type { AgentContract, UseContract } from '../contracts/contracts.js'
import { aboutChanges, type SaidRules } from './about-changes.js'
import { type ContractChange, newChange } from './change.js'

/** The name that models see of a tool where no agent gives another; `undefined` where there is no such tool. */
export type WireNameOf = (toolset: string, tool: string) => string | undefined

/** The names of tools, before and now. */
export interface WireNames {
  readonly was: WireNameOf
  readonly is: WireNameOf
}

/** What is said of an agent, with the rule that tells of its change. */
const said: SaidRules = [
  ['description', 'agent-described-otherwise'],
  ['instructions', 'agent-instructed-otherwise'],
  ['policy', 'agent-policy-changed'],
]

type NewChange = (rule: string, was?: Json, is?: Json) => ContractChange

/** How an agent differs from what it was; what its toolsets say themselves is not said again. */
export function agentChanges(
  was: AgentContract,
  is: AgentContract,
  names: WireNames,
  place: SourcePlace | undefined,
): readonly ContractChange[] {
  const change: NewChange = (rule, before, now) =>
    newChange(rule, {
      subject: { agent: is.name },
      ...(before !== undefined && { was: before }),
      ...(now !== undefined && { is: now }),
      ...(place !== undefined && { place }),
    })
  const uses = [...is.uses].flatMap(([as, use]): readonly ContractChange[] => {
    const before = was.uses.get(as)
    return before === undefined
      ? [change('agent-use-added', undefined, as)]
      : useChanges({ as, was: before, is: use }, names, change)
  })
  return [
    ...aboutChanges(was.about, is.about, said, change),
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

function useChanges({ as, was, is }: Uses, names: WireNames, change: NewChange): readonly ContractChange[] {
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
      return before === name || isTheTools ? [] : [change('agent-wire-name-changed', before, name)]
    }),
  ]
}
