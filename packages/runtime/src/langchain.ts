/**
 * Tools for LangChain: `@toolgen/runtime/langchain`. Needs the optional peer `@langchain/core`.
 *
 * @module
 */

export type { Answered, CallableTools } from './framework/callable-tools.js'
export type { CallContext } from './framework/framework-options.js'
export type { ToolAnswer } from './framework/tool-answer.js'
export { keepMalformed } from './langchain/keep-malformed.js'
export { langChainTools } from './langchain/langchain-tools.js'
