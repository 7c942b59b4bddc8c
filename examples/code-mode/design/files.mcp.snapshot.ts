// Written by `toolgen import mcp files`, 1752a7f6b1dc8b1d. Do not edit; import again, and change tools in `files.mcp.ts`.

import type { Snapshot } from '@toolgen/dsl'

/** Names of the tools and of their fields. `files.mcp.json` contains the tools. */
export const filesSnapshot: Snapshot<{
  readFile: 'path' | 'tail' | 'head'
  readTextFile: 'path' | 'tail' | 'head'
  readMediaFile: 'path'
  readMultipleFiles: 'paths'
  writeFile: 'path' | 'content'
  editFile: 'path' | 'edits' | 'dryRun'
  createDirectory: 'path'
  listDirectory: 'path'
  listDirectoryWithSizes: 'path' | 'sortBy'
  directoryTree: 'path' | 'excludePatterns'
  moveFile: 'source' | 'destination'
  searchFiles: 'path' | 'pattern' | 'excludePatterns'
  getFileInfo: 'path'
  listAllowedDirectories: never
}> = { '~toolgen': 'snapshot', kind: 'mcp', toolset: 'files', file: './files.mcp.json' }
