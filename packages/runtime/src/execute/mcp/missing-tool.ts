import { nearestNames } from '../../codec/issues/nearest.js'
import type { McpToolInfo, ToolsetImport } from '../../contract/mcp.js'
import type { AgentToolSpec } from '../../contract/spec.js'
import type { ToolId } from '../../contract/tool-id.js'
import { MAX_NEAR } from '../call/unknown-tool.js'
import { ToolFailure } from '../failure/tool-failure.js'

/** What the server lists now, of what was imported. */
interface ListedTools {
  readonly imported: ToolsetImport
  readonly live: readonly McpToolInfo[]
}

/**
 * The failure of a call for a tool that its server does not list any more, under the name by which models know it, with near
 * ones of the toolset that it does list, by the ids by which they are called.
 */
export function missingTool(tool: AgentToolSpec, listed: ListedTools, cause: unknown): ToolFailure {
  const message = `The tool ${JSON.stringify(tool.wireName)} is not available any more.`
  const near = nearestNames(tool.name, listedNames(listed), MAX_NEAR).map((name) => siblingId(tool, name))
  return new ToolFailure(message, { reason: 'unknown_tool', near, cause })
}

/** The tools of the toolset that the server lists, by their names in it. */
function listedNames({ imported: { toolset, tools }, live }: ListedTools): readonly string[] {
  const remote = new Set(live.map(({ name }) => name))
  const listed = new Map(Object.entries(tools).map(([name, served]) => [name, remote.has(served.name)]))
  return toolset.tools.map(({ spec }) => spec.name).filter((name) => listed.get(name))
}

/** The id of a tool of the same use, which an agent may know by another name than the toolset's. */
function siblingId({ qualifiedId, provider, name }: AgentToolSpec, sibling: string): ToolId {
  const use = qualifiedId.slice(provider.length + 1, -(name.length + 1))
  return `${use}.${sibling}`
}
