/**
 * The words of a toolgen design.
 *
 * @module
 */
export { type AgentDefinition, defineAgent } from './agent.js'
export { type ArgumentsOf, defineTool, type PayloadOf, type ResultOf, type Tool, type ToolDefinition } from './tool.js'
export { defineToolset, exportToolset, type McpSource, type Toolset, type ToolsetDefinition } from './toolset.js'
export type {
  AgentUseValue,
  AgentValue,
  ExportedToolOptions,
  ExportedToolValue,
  ExportOptions,
  ExportValue,
  FieldsOf,
  InputOf,
  Json,
  McpSourceValue,
  McpToolOptions,
  McpToolValue,
  McpUseOptions,
  McpUseValue,
  MetaField,
  NameTheMethodOf,
  NoMethodNamed,
  NoSuchField,
  NoSuchTool,
  OpenApiBody,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiPart,
  OpenApiSecurity,
  OpenApiSource,
  OpenApiStyle,
  OpenApiUseValue,
  OutputOf,
  RunPolicy,
  SayWhoServesIt,
  SchemaValue,
  SentTo,
  ServerOwned,
  ServiceClient,
  ServiceResultOptions,
  ServiceToolOptions,
  ServiceToolValue,
  ServiceUseOptions,
  ServiceUseValue,
  ToolsetValue,
  ToolValue,
  UseOptions,
  UseValue,
} from './types.js'
export { fromAgent, fromMcp, fromOpenApi, fromService, serviceClient } from './uses.js'
