/**
 * Tools in the forms of model vendors: `@toolgen/runtime/projections`.
 *
 * @module
 */
export type { AnthropicInputSchema, AnthropicTool } from './projection/anthropic/anthropic-tool.js'
export { anthropicTool } from './projection/anthropic/anthropic-tool.js'
export { toAnthropicTools } from './projection/anthropic/anthropic-tools.js'
export type { GeminiTool } from './projection/gemini/gemini-tool.js'
export { geminiTool } from './projection/gemini/gemini-tool.js'
export type { McpSchema, McpTool, McpToolAnnotations } from './projection/mcp/mcp-tool.js'
export { mcpTool } from './projection/mcp/mcp-tool.js'
export type { OpenAiProjection, OpenAiTool, OpenAiToolOptions } from './projection/openai/openai-tool.js'
export { openAiTool } from './projection/openai/openai-tool.js'
export type { OpenAiResponsesTool } from './projection/openai/openai-tools.js'
export { toOpenAIResponsesTools, toOpenAITools } from './projection/openai/openai-tools.js'
export { argumentRestorer, removeStrictNulls, restoreArguments } from './projection/openai/restore-arguments.js'
export type { JsonSchemaTool } from './projection/plain/json-schema-tool.js'
export { jsonSchemaTool } from './projection/plain/json-schema-tool.js'
export type { ChangeKind, Projection, ProjectionChange } from './projection/report/change.js'
