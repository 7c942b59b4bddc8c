/**
 * Tools for LangChain: `@toolgen/runtime/langchain`. Requires the optional peer dependency `@langchain/core`.
 *
 * @module
 */

export { keepMalformed, langChainExecutor, langChainTools, loadTools } from './adapters/langchain.js'
export type { ToolOutput } from './adapters/tool-output.js'
export type { LoadToolsOptions } from './tool-search/loaded-tools.js'
