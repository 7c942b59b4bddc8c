/**
 * Tools for LangChain: `@toolgen/runtime/langchain`. Needs the optional peer `@langchain/core`.
 *
 * @module
 */

export type { ToolOutput } from './adapters/framework-tools.js'
export { keepMalformed, langChainTools } from './adapters/langchain.js'
