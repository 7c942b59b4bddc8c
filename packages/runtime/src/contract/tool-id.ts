/** `toolset.tool`, e.g. `orders.getOrder`. */
export type ToolId = `${string}.${string}`

/** Who serves a toolset: a TypeScript service client, an MCP server, another agent, or hand-written functions. */
export type Provider = 'service' | 'mcp' | 'agent' | 'function'

/** `provider.toolset.tool`, e.g. `service.orders.getOrder`. */
export type QualifiedToolId = `${Provider}.${ToolId}`
