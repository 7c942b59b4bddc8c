/**
 * Tools for the OpenAI Agents SDK: `@toolgen/runtime/openai-agents`. Needs the optional peer `@openai/agents`.
 *
 * @module
 */

export { type OpenAiAgentsTool, openAiAgentsExecutor, openAiAgentsTools } from './adapters/openai-agents.js'
