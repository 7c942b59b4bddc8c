/**
 * Model Context Protocol over the official SDK: `@toolgen/runtime/mcp`. Needs the optional peer
 * `@modelcontextprotocol/sdk`.
 *
 * @module
 */
export type { CallerOptions, McpRoot, ReconnectOptions } from './mcp/caller-options.js'
export { type HttpCallerOptions, httpCaller } from './mcp/http-caller.js'
export { type ConnectableServer, inMemoryCaller } from './mcp/in-memory-caller.js'
export type { SdkCaller } from './mcp/sdk-caller.js'
export { type ServeMcpOptions, serveMcp } from './mcp/serve/serve-mcp.js'
export type {
  HttpListenOptions,
  McpService,
  ServedContext,
  ServedRequest,
  ServedTools,
  StdioStreams,
} from './mcp/serve/serve-options.js'
export type { AskOptions, ServedClient } from './mcp/serve/served-client.js'
export type { ServedModule, ServedProject } from './mcp/serve/served-module.js'
export { sseCaller } from './mcp/sse-caller.js'
export { type StdioCallerOptions, stdioCaller } from './mcp/stdio-caller.js'
export type { ServerCommand } from './mcp/transport/process-transport.js'
