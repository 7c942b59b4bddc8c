/**
 * Tools for the Vercel AI SDK: `@toolgen/runtime/ai-sdk`. Needs the optional peer `ai`.
 *
 * @module
 */
export { type AiSdkOutput, type AiSdkTools, aiSdkTools, keepMalformed } from './adapters/ai-sdk.js'
export type { ApprovalMode, CallableTools, CallContext } from './adapters/framework-types.js'
export type { CallResponse, ToolOutput } from './adapters/tool-output.js'
