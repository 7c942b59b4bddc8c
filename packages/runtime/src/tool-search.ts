/**
 * Tool search: `@toolgen/runtime/tool-search`. A model searches for the tools that the task needs, instead of reading
 * the definitions of all tools. Requires the optional peer dependency `minisearch`.
 *
 * @module
 */

export type { ToolSearchOptions } from './tool-search/search-tool.js'
export { type ToolIndex, toolIndex } from './tool-search/tool-index.js'
export type { ToolSearchIndex } from './tool-search/tool-terms.js'
export { type UseToolSearchOptions, useToolSearch } from './tool-search/use-tool-search.js'
