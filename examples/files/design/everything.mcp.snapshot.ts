// Written by `toolgen import mcp everything`, 160ebb6845448ad7. Do not edit; import again, and change tools in `everything.mcp.ts`.

import type { Snapshot } from '@toolgen/dsl'

/** Names of the tools and of their fields. `everything.mcp.json` contains the tools. */
export const everythingSnapshot: Snapshot<{
  echo: 'message'
  getAnnotatedMessage: 'messageType' | 'includeImage'
  getEnv: never
  getResourceLinks: 'count'
  getResourceReference: 'resourceType' | 'resourceId'
  getStructuredContent: 'location'
  getSum: 'a' | 'b'
  getTinyImage: never
  gzipFileAsResource: 'name' | 'data' | 'outputType'
  toggleSimulatedLogging: never
  toggleSubscriberUpdates: never
  triggerLongRunningOperation: 'duration' | 'steps'
  simulateResearchQuery: 'topic' | 'ambiguous'
}> = { '~toolgen': 'snapshot', kind: 'mcp', toolset: 'everything', file: './everything.mcp.json' }
