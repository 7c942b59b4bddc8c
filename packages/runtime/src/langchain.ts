/**
 * Tools for LangChain: `@toolgen/runtime/langchain`. Needs the optional peer `@langchain/core`.
 *
 * @module
 */

export type { CallableTools, CallContext } from './adapters/framework-types.js'
export { keepMalformed, langChainTools } from './adapters/langchain.js'
export type { CallResponse, ToolOutput } from './adapters/tool-output.js'
