import type { ToolsetValue } from '@toolgen/dsl'
import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import type { Places } from '../../load/loaded-design.js'
import { unknownTool } from './use-names.js'

/** What a toolset says of its MCP server names tools that it has. */
export function mcpNameFaults(toolset: ToolsetValue, places: Places): readonly Diagnostic[] {
  const known = Object.keys(toolset.tools)
  return Object.keys(toolset.mcp?.names ?? {})
    .filter((tool) => !known.includes(tool))
    .map((tool) => {
      const place = places.placeOf(toolset, 'mcp', 'names', tool)
      return unknownTool('mcp.names', tool, toolset.name, known, place)
    })
}
