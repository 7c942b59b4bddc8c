// This module is yours: later imports do not change it. Options of `importedToolset` select and change tools.
import { importedToolset } from '@toolgen/dsl'
import { filesSnapshot } from './files.mcp.snapshot.js'

/** Tools of the MCP server secure-filesystem-server. */
export const files = importedToolset(filesSnapshot)
