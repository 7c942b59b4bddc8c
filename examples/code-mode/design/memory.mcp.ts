// This module is yours: later imports do not change it. Options of `importedToolset` select and change tools.
import { importedToolset } from '@toolgen/dsl'
import { memorySnapshot } from './memory.mcp.snapshot.js'

/** Tools of the MCP server memory-server. */
export const memory = importedToolset(memorySnapshot)
