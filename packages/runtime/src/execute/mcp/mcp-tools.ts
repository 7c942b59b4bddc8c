import type { ToolExecutor } from '../../contract/executor.js'
import type { ToolsetImport } from '../../contract/mcp.js'
import type { RegistrationOptions } from '../../contract/registration.js'
import { toolsetRegistration } from '../../layer/registration.js'
import type { BoundToolset } from '../bound-toolset.js'
import { Runtime } from '../runtime.js'

/**
 * The tools of an MCP server without an agent: their calls go the way of all calls, in a runtime of their own. Generated
 * clients call it.
 *
 * @throws {BindingError} for options that are none.
 *
 * @example
 * const tools = mcpTools(filesMcp, mcpExecutor(filesMcp, caller))
 * const outcome = await tools.execute(newReadFileCall({ path: 'notes.txt' }))
 */
export function mcpTools(
  { toolset }: ToolsetImport,
  executor: ToolExecutor,
  options: RegistrationOptions = {},
): BoundToolset {
  return new Runtime().registerToolset(toolsetRegistration({ toolset, provider: 'mcp' }, executor, options))
}
