/**
 * Functions and types for toolgen designs, which declare tools and agents.
 *
 * @module
 */
export { type Agent, type AgentDefinition, defineAgent, type RunPolicy } from './agent.js'
export type { Snapshot } from './imported.js'
export type { OpenApiSource } from './openapi.js'
export {
  type ArgumentsOf,
  type Audience,
  defineTool,
  type FailureDefinition,
  type Json,
  type MaxResult,
  type MetaField,
  type PayloadOf,
  type ReadLabel,
  type ResultOf,
  type SchemaValue,
  type SensitiveField,
  type SensitiveFields,
  type Tool,
  type ToolDefinition,
  type Treatment,
  type WriteLabel,
} from './tool.js'
export {
  defineToolset,
  exportToolset,
  importedToolset,
  type McpSource,
  type Toolset,
  type ToolsetDefinition,
  type ToolsetExport,
} from './toolset.js'
export {
  type AgentUse,
  type ExecutorUse,
  fromAgent,
  fromExecutor,
  fromMcp,
  fromOpenApi,
  fromService,
  type McpUse,
  type OpenApiUse,
  type ServiceClient,
  type ServiceToolOptions,
  type ServiceUse,
  serviceClient,
  type ToolsetUse,
  type UseOptions,
} from './uses.js'
