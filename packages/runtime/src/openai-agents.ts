/**
 * Tools for the OpenAI Agents SDK: `@toolgen/runtime/openai-agents`. Needs the optional peer `@openai/agents`.
 *
 * @module
 */

export type { Answered, CallableTools } from './framework/callable-tools.js'
export type { Approvals, CallContext } from './framework/framework-options.js'
export { type OpenAiAgentsTool, openAiAgentsTools } from './openai-agents/openai-agents-tools.js'
