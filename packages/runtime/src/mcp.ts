/**
 * MCP clients and servers, based on the official SDK: `@toolgen/runtime/mcp`. Requires the optional peer dependencies
 * `@modelcontextprotocol/client` and `@modelcontextprotocol/server`.
 *
 * @module
 */

export {
  type BearerAuth,
  type BearerAuthOptions,
  bearerAuth,
  type CheckedToken,
  type TokenCheck,
  type TokenClaims,
} from './mcp/bearer-auth.js'
export {
  type ConnectableServer,
  type HttpCallerOptions,
  httpCaller,
  inMemoryCaller,
  type StdioCallerOptions,
  sseCaller,
  stdioCaller,
} from './mcp/callers.js'
export type { HttpListenOptions, McpService } from './mcp/http-service.js'
export { type LoopbackLoginOptions, loopbackLogin } from './mcp/loopback-login.js'
export { McpCallError } from './mcp/mcp-call-error.js'
export {
  type Login,
  type LoginAttempt,
  type OAuth,
  type OAuthOptions,
  oauth,
  type RegisteredClient,
} from './mcp/oauth.js'
export type { SdkCaller } from './mcp/sdk-caller.js'
export { type ServeMcpOptions, serveMcp } from './mcp/serve-mcp.js'
export type { ServedTaskOptions } from './mcp/served-tasks.js'
export type { ServedModule, ServedTools } from './mcp/served-tools.js'
export { type ClientCredentialsOptions, clientCredentials, type HttpAuth, type ServerAuth } from './mcp/token-auth.js'
export { type FileTokenStoreOptions, fileTokenStore, memoryTokenStore, type TokenStore } from './mcp/token-store.js'
export type { McpAnswer, McpElicitation, McpQuestion } from './types/elicitation.js'
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
