import type { AgentIr, DesignIr } from '../ir/types.js'
import type { ServicePlans } from '../service/plan/plan.js'
import { flatLiteral, keyText } from '../text/literal.js'
import type { ImportSet } from './import-set.js'
import { isInheritedName } from './inherited-name.js'

/** Where a use is bound: the entry of an agent's folder. */
export interface BindingScene {
  readonly agent: AgentIr
  readonly design: DesignIr
  readonly plans: ServicePlans
  readonly imports: ImportSet
}

/** How a use is bound to what the application gives for it. */
export interface UseBinding {
  /** The property under `toolsets` of the agent's binding. */
  readonly member: string
  /** The call that makes its registration, indented by four. */
  readonly bind: string
}

/** What a tool cannot do without, as a property; none where it needs nothing. */
export function requirement(tool: string, parts: readonly string[]): readonly string[] {
  const literal = `${flatLiteral(parts)}${isInheritedName(tool) ? ' as const' : ''}`
  return parts.length === 0 ? [] : [`${keyText(tool)}: ${literal}`]
}
