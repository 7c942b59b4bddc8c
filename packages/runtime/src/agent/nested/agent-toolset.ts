import type { AgentToolsetOptions, ToolsetExport } from '../../contract/agent-toolset.js'
import type { ToolsetRegistration, ToolsetUse } from '../../contract/registration.js'
import { useName } from '../../execute/binding/use-name.js'
import { toolsetRegistration } from '../../layer/registration.js'
import { type AgentSource, agentExecutor } from './agent-executor.js'
import { requireToolOptions } from './require-tool-options.js'

/**
 * A toolset that an agent exports, served by runs of that agent. Generated code calls it.
 *
 * @param use how another agent uses the toolset; default: under its own names
 * @throws {TypeError} for an option of a tool that is of another type.
 */
export function agentToolsetRegistration<Env = unknown>(
  exported: ToolsetExport,
  agent: AgentSource<Env>,
  options: AgentToolsetOptions<any> = {}, // `any`: generated code says what the tools answer
  use: ToolsetUse = { toolset: exported.toolset, provider: 'agent' },
): ToolsetRegistration<Env> {
  requireToolOptions(useName(use), options)
  return toolsetRegistration<Env>(use, agentExecutor(exported, agent, options), options)
}
