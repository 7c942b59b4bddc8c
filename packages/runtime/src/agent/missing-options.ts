import type { RunMeta } from '../contract/planner.js'
import { agentBeneath } from '../execute/call/agent-beneath.js'
import type { ToolTable } from '../execute/call/tool-table.js'
import type { BoundTool } from '../execute/tool/bound-tool.js'
import { missingMeta } from '../execute/tool/meta-value.js'

/** What the runtime itself gives to each call of a run, and to those of runs beneath. */
const GIVEN = { toolCallId: '', attempt: 1 } as const

/**
 * The options that a run's caller has not given, and from which server-owned fields are filled: of the agent's tools, and of
 * those of the agents that serve them. Each as it is told.
 */
export function missingOptions({ served }: ToolTable, meta: RunMeta): readonly string[] {
  const seen = new Set<BoundTool>()
  const missing: string[] = []
  const visit = (tool: BoundTool, isBeneath: boolean): void => {
    if (seen.has(tool)) return
    seen.add(tool)
    if (tool.serverOwned.length > 0) {
      const known = { ...meta, ...GIVEN, ...(isBeneath && { parentToolCallId: '' }) }
      for (const field of missingMeta(tool.spec.serverOwned, known)) missing.push(`options.${field} (for ${tool.id})`)
    }
    for (const beneath of agentBeneath(tool.executor)?.table.served ?? []) visit(beneath.tool, true)
  }
  for (const { tool } of served) visit(tool, false)
  return missing
}
