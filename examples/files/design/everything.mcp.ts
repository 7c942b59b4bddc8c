// This module is yours: later imports do not change it. Options of `importedToolset` select and change tools.
import { importedToolset } from '@toolgen/dsl'
import { everythingSnapshot } from './everything.mcp.snapshot.js'

/** Tools of the MCP server mcp-servers/everything. */
export const everything = importedToolset(everythingSnapshot)
