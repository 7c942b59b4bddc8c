/**
 * Tools and guardrails for the OpenAI Agents SDK: `@toolgen/runtime/openai-agents`. Requires the optional peer
 * dependency `@openai/agents`.
 *
 * @module
 */

export { loadTools, type OpenAiAgentsTool, openAiAgentsExecutor, openAiAgentsTools } from './adapters/openai-agents.js'
export { type OpenAiAgentsGuardrails, openAiAgentsGuardrails } from './adapters/openai-agents-guardrails.js'
export type { LoadToolsOptions } from './tool-search/loaded-tools.js'
