import type { NoSuchTool, Offered, UseOptions } from './use.js'

/** How one tool is found on its MCP server. */
export interface McpToolOptions {
  /** What the server calls the tool. Default: what the toolset's `mcp.names` says, else the tool's own name. */
  readonly name?: string
}

/**
 * How a toolset is used that an MCP server serves. `Selected`, `Renamed` and `Named` are inferred from what is written; a
 * name that is no tool is an error also beside right ones.
 */
export type McpUseOptions<Selected extends string, Renamed extends string, Named extends string> = UseOptions<
  Selected,
  Renamed
> & {
  /** Tool → how it is found on the server. */
  readonly tools?: {
    readonly [Tool in Named]: Tool extends Selected ? McpToolOptions : McpToolOptions & NoSuchTool<Tool, Selected>
  } & Offered<NoInfer<Selected>>
}
