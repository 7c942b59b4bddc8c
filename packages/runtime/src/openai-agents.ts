/**
 * Tools for the OpenAI Agents SDK: `@toolgen/runtime/openai-agents`. Needs the optional peer `@openai/agents`.
 *
 * @module
 */

export type { ApprovalMode, CallableTools, CallContext } from './adapters/framework-types.js'
export { type OpenAiAgentsTool, openAiAgentsTools } from './adapters/openai-agents.js'
export type { CallResponse } from './adapters/tool-output.js'
