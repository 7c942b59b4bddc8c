import { importedToolset } from '@toolgen/dsl'
import { filesSnapshot } from './files.mcp.snapshot.js'

export const files = importedToolset(filesSnapshot, {
  description: 'Tools of secure-filesystem-server.',
  tools: { readFile: { maxResult: { bytes: 8_000 } } },
})
