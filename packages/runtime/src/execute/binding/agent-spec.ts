import type { ToolDescriptor, ToolsetDescriptor } from '../../contract/descriptor.js'
import type { ToolsetUse } from '../../contract/registration.js'
import type { AgentToolSpec } from '../../contract/spec.js'
import { BindingError } from './binding-error.js'
import { deepFreeze } from './deep-freeze.js'
import { useFaults } from './use-faults.js'
import { selectedTools, useName, wireNameIn } from './use-name.js'

/**
 * The spec of one tool as the agent of `use` sees it: with the agent's names. The descriptor's own spec is frozen too:
 * they share their parts.
 */
export function agentSpec(use: ToolsetUse, { spec }: ToolDescriptor): AgentToolSpec {
  return deepFreeze({
    ...deepFreeze(spec),
    wireName: wireNameIn(use, spec),
    provider: use.provider,
    qualifiedId: `${use.provider}.${useName(use)}.${spec.name}`,
  })
}

/**
 * The specs of the tools that an agent uses, in the order of the design; deeply frozen.
 *
 * @throws {BindingError} when two uses share a name or two tools share a wire name.
 */
export function usedSpecs(uses: readonly ToolsetUse[]): readonly AgentToolSpec[] {
  const faults = useFaults(uses)
  if (faults.length > 0) throw new BindingError('these toolsets', faults)
  return Object.freeze(uses.flatMap((use) => selectedTools(use).map((tool) => agentSpec(use, tool))))
}

/**
 * The specs of the tools that an agent offers to others, in the order of the design; deeply frozen.
 *
 * @throws {BindingError} when two toolsets share a name or two tools share a wire name.
 */
export function offeredSpecs(toolsets: readonly ToolsetDescriptor[]): readonly AgentToolSpec[] {
  return usedSpecs(toolsets.map((toolset) => ({ toolset, provider: 'agent' })))
}
