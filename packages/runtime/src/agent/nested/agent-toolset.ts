import type { AgentToolsetOptions, ToolsetExport } from '../../contract/agent-toolset.js'
import type { ToolsetRegistration, ToolsetUse } from '../../contract/registration.js'
import { toolsetRegistration } from '../../layer/registration.js'
import { type AgentSource, agentExecutor } from './agent-executor.js'

/**
 * A toolset that an agent exports, served by runs of that agent. Generated code calls it.
 *
 * @param use how another agent uses the toolset; default: under its own names
 */
export function agentToolsetRegistration<Env = unknown>(
  exported: ToolsetExport,
  agent: AgentSource<Env>,
  options: AgentToolsetOptions<any> = {}, // `any`: generated code says what the tools answer
  use: ToolsetUse = { toolset: exported.toolset, provider: 'agent' },
): ToolsetRegistration<Env> {
  return toolsetRegistration<Env>(use, agentExecutor(exported, agent, options), options)
}
