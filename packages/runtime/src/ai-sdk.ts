/**
 * Tools for the Vercel AI SDK: `@toolgen/runtime/ai-sdk`. Needs the optional peer `ai`.
 *
 * @module
 */
export { type AiSdkAnswer, type AiSdkTools, aiSdkTools } from './ai-sdk/ai-sdk-tools.js'
export { keepMalformed } from './ai-sdk/keep-malformed.js'
export type { Answered, CallableTools } from './framework/callable-tools.js'
export type { Approvals, CallContext } from './framework/framework-options.js'
export type { ToolAnswer } from './framework/tool-answer.js'
