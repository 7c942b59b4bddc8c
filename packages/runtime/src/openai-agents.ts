/**
 * Tools for the OpenAI Agents SDK: `@toolgen/runtime/openai-agents`. Needs the optional peer `@openai/agents`.
 *
 * @module
 */

export { loadTools, type OpenAiAgentsTool, openAiAgentsExecutor, openAiAgentsTools } from './adapters/openai-agents.js'
export type { LoadToolsOptions } from './tool-search/loaded-tools.js'
