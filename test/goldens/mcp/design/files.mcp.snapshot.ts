// Written by `toolgen import mcp files`, a4a660b95b14824a. Do not edit; import again, and change tools in `files.mcp.ts`.

import type { Snapshot } from '@toolgen/dsl'

/** Names of the tools and of their fields. `files.mcp.json` contains the tools. */
export const filesSnapshot: Snapshot<{
  readFile: 'path' | 'head'
  listRoots: never
  tree: 'root'
}> = { '~toolgen': 'snapshot', kind: 'mcp', toolset: 'files', file: './files.mcp.json' }
