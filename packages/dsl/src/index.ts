/**
 * The words of a toolgen design.
 *
 * @module
 */
export { type AgentDefinition, defineAgent } from './agent.js'
export { fromAgent } from './agent-use.js'
export { fromMcp } from './mcp-use.js'
export { fromOpenApi } from './openapi-use.js'
export { serviceClient } from './service-client.js'
export { fromService } from './service-use.js'
export { type ArgumentsOf, defineTool, type PayloadOf, type ResultOf, type Tool, type ToolDefinition } from './tool.js'
export { defineToolset, type McpSource, type Toolset, type ToolsetDefinition } from './toolset.js'
export { exportToolset } from './toolset-export.js'
export type { McpToolOptions, McpUseOptions } from './types/mcp-use.js'
export type {
  OpenApiBody,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPart,
  OpenApiSecurity,
  OpenApiSource,
  OpenApiStyle,
} from './types/openapi-source.js'
export type { FieldsOf, InputOf, OutputOf } from './types/schema.js'
export type { NoSuchField, SentTo, ServerOwned } from './types/server-owned.js'
export type {
  NameTheMethodOf,
  NoMethodNamed,
  ServiceResultOptions,
  ServiceToolOptions,
  ServiceUseOptions,
} from './types/service-use.js'
export type { ExportedToolOptions, ExportOptions } from './types/toolset-export.js'
export type { NoSuchTool, SayWhoServesIt, UseOptions } from './types/use.js'
export type {
  AgentUseValue,
  AgentValue,
  ExportedToolValue,
  ExportValue,
  Json,
  McpSourceValue,
  McpToolValue,
  McpUseValue,
  MetaField,
  OpenApiUseValue,
  RunPolicy,
  SchemaValue,
  ServiceClient,
  ServiceToolValue,
  ServiceUseValue,
  ToolsetValue,
  ToolValue,
  UseValue,
} from './values.js'
