import type { McpUseValue } from '@toolgen/dsl'
import { own } from '../../schema/json/json.js'
import type { McpToolIr, UsedToolIr } from '../types.js'
import { nameOnServer } from './build-mcp-source.js'
import type { UsePlaces } from './build-service-tool.js'

/** Builds how a tool of a use is found on its MCP server. */
export function buildMcpTool(use: McpUseValue, tool: Omit<UsedToolIr, 'place'>, places: UsePlaces): McpToolIr {
  const said = own(use.tools ?? {}, tool.tool)
  return {
    ...tool,
    remote: said?.name ?? nameOnServer(use.toolset.mcp, tool.tool),
    place: said === undefined ? places.of() : places.of('tools', tool.tool),
  }
}
