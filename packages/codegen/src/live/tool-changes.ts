import type { CapturedTool } from '../import/mcp/capture.js'
import type { Installed } from '../installed/load-installed.js'
import { describedChanges } from './described-changes.js'

/** One difference between a captured tool and the one that a server lists. */
export interface ToolChange {
  /** The server's own name of the tool. */
  readonly tool: string
  readonly kind: string
  /** Which schema; absent where the tool as a whole is meant. */
  readonly side?: string
  /** JSON Pointer into the schema of the side, or into the tool as the server lists it. */
  readonly path?: string
  readonly message: string
}

/**
 * How the tools that a server lists differ from those that were captured.
 *
 * @param drift `mcpDrift` of the installed runtime, which compares schemas; what is said of them is compared here
 */
export function toolChanges(
  drift: Installed,
  captured: readonly CapturedTool[],
  live: readonly CapturedTool[],
): readonly ToolChange[] {
  const report: unknown = Reflect.apply(drift, undefined, [captured.map(servedTool), live.map(servedTool)])
  if (!isReport(report)) throw new TypeError('`mcpDrift` of the installed runtime gives no report')
  const described = captured.flatMap((tool) => {
    const now = live.find(({ name }) => name === tool.name)
    return now === undefined ? [] : describedChanges(tool, now)
  })
  const isToldBetter = ({ kind, tool }: ToolChange): boolean =>
    kind === 'described' && described.some((change) => change.tool === tool)
  return [...report.changes.filter((change) => !isToldBetter(change)), ...described]
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

function isReport(value: unknown): value is { readonly changes: readonly ToolChange[] } {
  return typeof value === 'object' && value !== null && 'changes' in value && Array.isArray(value.changes)
}
