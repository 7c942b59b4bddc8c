/** `toolset.tool`, e.g. `orders.getOrder`. */
export type ToolId = `${string}.${string}`

/** Who serves a toolset: a TypeScript service client, an MCP server, or another agent. */
export type Provider = 'service' | 'mcp' | 'agent'

/** `provider.toolset.tool`, e.g. `service.orders.getOrder`. */
export type QualifiedToolId = `${Provider}.${ToolId}`
