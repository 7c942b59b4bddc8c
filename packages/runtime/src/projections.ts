/**
 * Tool definitions in the formats of model vendors, and TypeScript declarations of tools:
 * `@toolgen/runtime/projections`.
 *
 * @module
 */
export {
  type ApiDeclarations,
  type ApiFunction,
  apiDeclarations,
  type DeclarationOptions,
  type DeclaredTool,
  namespaceDeclaration,
  namespaceNames,
} from './code-mode/declarations.js'
export type { AnthropicTool } from './projections/anthropic.js'
export { anthropicTool, toAnthropicTools } from './projections/anthropic.js'
export type { Projection, ProjectionChange } from './projections/changes.js'
export type { GeminiTool } from './projections/gemini.js'
export { geminiTool } from './projections/gemini.js'
export type { McpTool } from './projections/mcp.js'
export { mcpTool } from './projections/mcp.js'
export type { OpenAiProjection, OpenAiResponsesTool, OpenAiTool, OpenAiToolOptions } from './projections/openai.js'
export { jsonSchemaTool, openAiTool, toOpenAIResponsesTools, toOpenAITools } from './projections/openai.js'
export { argumentRestorer, removeStrictNulls, restoreArguments } from './projections/restore-arguments.js'
export { type SearchedTool, type ToolSearchIndex, toolSearchIndex } from './tool-search/tool-terms.js'
