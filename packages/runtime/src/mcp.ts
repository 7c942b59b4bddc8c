/**
 * Model Context Protocol over the official SDK: `@toolgen/runtime/mcp`. Needs the optional peers
 * `@modelcontextprotocol/client` and `@modelcontextprotocol/server`.
 *
 * @module
 */

export type { McpAnswer, McpQuestion } from './mcp/caller-options.js'
export {
  type ConnectableServer,
  type HttpCallerOptions,
  httpCaller,
  inMemoryCaller,
  type StdioCallerOptions,
  sseCaller,
  stdioCaller,
} from './mcp/callers.js'
export type { McpService } from './mcp/http-service.js'
export { McpCallError } from './mcp/mcp-call-error.js'
export type { SdkCaller } from './mcp/sdk-caller.js'
export { type ServeMcpOptions, serveMcp } from './mcp/serve-mcp.js'
export type { ServedModule, ServedTools } from './mcp/served-tools.js'
export type {
  McpCaller,
  McpContent,
  McpDriftReport,
  McpExecutor,
  McpExecutorOptions,
  McpReadOptions,
  McpRequestOptions,
  McpResource,
  McpResourceContents,
  McpServedTool,
  McpToolCall,
  McpToolInfo,
  McpToolResult,
} from './types/mcp.js'
