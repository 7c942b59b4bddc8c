import type { AgentIr, McpServedToolIr, McpToolIr, McpUseIr, ToolsetIr } from '../ir/types.js'
import type { ImportedModule } from './import-set.js'

/** Where the constant stands that says how an MCP server serves the tools of a use. */
export interface McpImport {
  readonly module: ImportedModule
  readonly name: string
  /** The tools for which the use says another name than the toolset: then the constant stands beside the executor. */
  readonly renamed: readonly McpToolIr[]
}

/** The constant of the toolset, or one of the use where that names tools of the server itself. */
export function mcpImport(
  use: McpUseIr,
  { agent, toolset }: { readonly agent: AgentIr; readonly toolset: ToolsetIr },
): McpImport {
  const served = servedTools(toolset)
  const renamed = use.tools.filter(({ tool, remote }) => served.get(tool)?.name !== remote)
  if (renamed.length > 0) {
    return {
      module: { generated: `agents/${agent.names.folder}/${use.names.mcpFile}` },
      name: use.names.mcpImport,
      renamed,
    }
  }
  return { module: mcpModule(toolset), name: toolset.names.mcp.import, renamed }
}

/** The file of a toolset that says how an MCP server serves it. */
export function mcpModule({ names }: ToolsetIr): ImportedModule & { readonly generated: string } {
  return { generated: `toolsets/${names.folder}/mcp` }
}

function servedTools({ mcp }: ToolsetIr): ReadonlyMap<string, McpServedToolIr> {
  return new Map((mcp?.tools ?? []).map((served) => [served.tool, served] as const))
}
