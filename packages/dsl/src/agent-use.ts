import { isMade } from './check/checks.js'
import { quoted } from './check/fault.js'
import { checkedFields } from './check/fields.js'
import type { Toolset } from './toolset.js'
import type { UseOptions } from './types/use.js'
import { frozenUseParts, usePartChecks } from './use-parts.js'
import type { AgentUseValue, ToolsetValue, ToolValue } from './values.js'

/**
 * Gives a toolset to an agent, served by the agent that exports it. The exporter is not named: the generator finds it,
 * so that two agents can use each other without importing each other. `only` selects tools and `rename` changes the
 * names that this agent's model sees. Throws a TypeError when an argument is evidently wrong.
 *
 * @example
 * fromAgent(investigation, { only: ['investigate'], rename: { investigate: 'find_out' } })
 */
export function fromAgent<
  Used extends Readonly<Record<string, ToolValue>>,
  const Selected extends keyof Used & string = keyof Used & string,
  const Renamed extends string = never,
>(toolset: Toolset<Used>, options?: UseOptions<Selected, Renamed>): AgentUseValue
export function fromAgent(toolset: ToolsetValue, options: UseOptions<string, string> = {}): AgentUseValue {
  isMade('toolset', 'Pass what defineToolset(...) returned')(toolset, 'fromAgent: first argument')
  const where = `fromAgent(${quoted(toolset.name)})`
  const parts = checkedFields(options, { required: {}, optional: usePartChecks }, where)
  return Object.freeze<AgentUseValue>({
    '~toolgen': 'use',
    provider: 'agent',
    toolset,
    ...frozenUseParts(parts, where),
  })
}
