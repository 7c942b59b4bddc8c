/**
 * Tools for the Vercel AI SDK: `@toolgen/runtime/ai-sdk`. Needs the optional peer `ai`.
 *
 * @module
 */
export { type AiSdkOutput, type AiSdkTools, aiSdkTools, keepMalformed } from './adapters/ai-sdk.js'
export type { CallContext, ToolOutput } from './adapters/framework-tools.js'
