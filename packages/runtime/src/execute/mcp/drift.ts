import type { McpDrift, McpDriftReport, McpServedTool, McpToolInfo } from '../../contract/mcp.js'
import { schemaDrift } from './schema-drift.js'
import { sameJson } from './schema-parts.js'

/**
 * How the tools that a server lists differ from those that were captured.
 *
 * @param unused names of captured tools that nobody uses: they are not reported as added
 *
 * @example
 * for (const { message } of mcpDrift(captured, await caller.listTools()).changes) console.log(message)
 */
export function mcpDrift(
  captured: readonly McpServedTool[],
  live: readonly McpToolInfo[],
  unused: readonly string[] = [],
): McpDriftReport {
  const known = new Set([...captured.map(({ name }) => name), ...unused])
  const changes = captured.flatMap((tool) => toolDrift(tool, live))
  const added = live
    .filter(({ name }) => !known.has(name))
    .map(({ name }): McpDrift => ({ tool: name, kind: 'added', message: `The server has a new tool '${name}'.` }))
  return { changes: [...changes, ...added] }
}

/** What breaks calls: a server that takes less, or that answers more. */
const breakingKind = { arguments: 'narrowed', result: 'widened' } as const

/** Whether a difference may make calls fail that were right when the tools were captured. */
export function isBreaking({ kind, side }: McpDrift): boolean {
  return kind === 'removed' || (side !== undefined && kind === breakingKind[side])
}

function toolDrift(captured: McpServedTool, live: readonly McpToolInfo[]): readonly McpDrift[] {
  const { name } = captured
  const now = live.find((tool) => tool.name === name)
  if (now === undefined) {
    return [{ tool: name, kind: 'removed', message: `The server has no tool '${name}' any more.` }]
  }
  // Declared by hand: there is nothing to compare.
  if (captured.inputSchema === undefined) return []
  const schemas = [
    ...sideDrift(name, 'arguments', captured.inputSchema, now.inputSchema),
    ...sideDrift(name, 'result', captured.outputSchema ?? true, now.outputSchema ?? true),
  ]
  const isSaid = captured.description === now.description && sameText(captured, now)
  const described: McpDrift = { tool: name, kind: 'described', message: `The tool '${name}' is described otherwise.` }
  return isSaid || (schemas.length > 0 && captured.description === now.description) ? schemas : [...schemas, described]
}

function sideDrift(
  tool: string,
  side: 'arguments' | 'result',
  captured: NonNullable<McpServedTool['inputSchema']>,
  live: McpToolInfo['inputSchema'],
): readonly McpDrift[] {
  return schemaDrift(captured, live, breakingKind[side]).map(({ kind, path, message }) => {
    const place = path === '' ? '' : ` at ${path}`
    return {
      tool,
      kind,
      side,
      path,
      message: `The ${side} of '${tool}' ${side === 'result' ? 'is' : 'are'} ${kind}${place}: ${message}.`,
    }
  })
}

/** Whether the schemas read the same, notes and all. */
function sameText(captured: McpServedTool, now: McpToolInfo): boolean {
  return sameJson(captured.inputSchema, now.inputSchema) && sameJson(captured.outputSchema, now.outputSchema)
}
