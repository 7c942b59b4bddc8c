import { isDeepStrictEqual } from 'node:util'
import type { CapturedTool } from '../import/mcp/capture.js'
import type { Installed } from '../installed/load-installed.js'

/** One difference between a captured tool and the one that a server lists. */
export interface ToolChange {
  /** The server's own name of the tool. */
  readonly tool: string
  readonly kind: string
  /** Which schema; absent where the tool as a whole is meant. */
  readonly side?: string
  /** JSON Pointer into the schema. */
  readonly path?: string
  readonly message: string
}

/**
 * How the tools that a server lists differ from those that were captured.
 *
 * @param drift `mcpDrift` of the installed runtime, which compares schemas and descriptions
 */
export function toolChanges(
  drift: Installed,
  captured: readonly CapturedTool[],
  live: readonly CapturedTool[],
): readonly ToolChange[] {
  const report: unknown = Reflect.apply(drift, undefined, [captured.map(servedTool), live.map(servedTool)])
  if (!isReport(report)) throw new TypeError('`mcpDrift` of the installed runtime gives no report')
  return [...report.changes, ...captured.flatMap((tool) => annotated(tool, live))]
}

/** A tool as `mcpDrift` compares it. */
function servedTool({ name, description, inputSchema, outputSchema }: CapturedTool): object {
  return {
    name,
    inputSchema,
    ...(description !== undefined && { description }),
    ...(outputSchema !== undefined && { outputSchema }),
  }
}

/** Titles and hints, which a toolset takes over too. */
function annotated(tool: CapturedTool, live: readonly CapturedTool[]): readonly ToolChange[] {
  const now = live.find(({ name }) => name === tool.name)
  if (now === undefined) return []
  if (now.title === tool.title && isDeepStrictEqual(now.annotations, tool.annotations)) return []
  const message = `The tool '${tool.name}' has another title or other annotations.`
  return [{ tool: tool.name, kind: 'described', message }]
}

function isReport(value: unknown): value is { readonly changes: readonly ToolChange[] } {
  return typeof value === 'object' && value !== null && 'changes' in value && Array.isArray(value.changes)
}
