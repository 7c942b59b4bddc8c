// Written by `toolgen import mcp memory`, 10db4ea50bc7d8b7. Do not edit; import again, and change tools in `memory.mcp.ts`.

import type { Snapshot } from '@toolgen/dsl'

/** Names of the tools and of their fields. `memory.mcp.json` contains the tools. */
export const memorySnapshot: Snapshot<{
  createEntities: 'entities'
  createRelations: 'relations'
  addObservations: 'observations'
  deleteEntities: 'entityNames'
  deleteObservations: 'deletions'
  deleteRelations: 'relations'
  readGraph: never
  searchNodes: 'query'
  openNodes: 'names'
}> = { '~toolgen': 'snapshot', kind: 'mcp', toolset: 'memory', file: './memory.mcp.json' }
