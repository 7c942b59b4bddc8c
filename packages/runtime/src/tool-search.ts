/**
 * Search of tools: `@toolgen/runtime/tool-search`. A model searches the tools that it needs, instead of reading the definitions of all tools.
 * Needs the optional peer `minisearch`.
 *
 * @module
 */

export type { ToolSearchOptions } from './tool-search/search-tool.js'
export { type ToolIndex, toolIndex } from './tool-search/tool-index.js'
export type { ToolSearchIndex } from './tool-search/tool-terms.js'
export { type UseToolSearchOptions, useToolSearch } from './tool-search/use-tool-search.js'
