/**
 * Model Context Protocol over the official SDK: `@toolgen/runtime/mcp`. Needs the optional peer
 * `@modelcontextprotocol/sdk`.
 *
 * @module
 */
export type { CallerOptions, McpRoot, ReconnectOptions } from './mcp/caller-options.js'
export {
  type ConnectableServer,
  type HttpCallerOptions,
  httpCaller,
  inMemoryCaller,
  type StdioCallerOptions,
  sseCaller,
  stdioCaller,
} from './mcp/callers.js'
export type { ServerCommand } from './mcp/process-transport.js'
export type { SdkCaller } from './mcp/sdk-caller.js'
export type { ServedModule, ServedProject } from './mcp/serve-mcp.js'
export { type ServeMcpOptions, serveMcp } from './mcp/serve-mcp.js'
export type {
  AskOptions,
  HttpListenOptions,
  McpService,
  ServedClient,
  ServedContext,
  ServedRequest,
  ServedTools,
  StdioStreams,
} from './mcp/serve-options.js'
