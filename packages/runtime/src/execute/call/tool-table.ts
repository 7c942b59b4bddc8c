import type { ToolOutcome } from '../../contract/outcome.js'
import type { Service } from '../../contract/service.js'
import type { AgentToolSpec } from '../../contract/spec.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import type { BoundTool } from '../tool/bound-tool.js'

/** A tool with the service that runs it. */
export interface ServedTool {
  readonly tool: BoundTool
  readonly service: Service<ToolRequest, ToolOutcome>
}

/** The tools that one agent, or one toolset without an agent, may call. */
export interface ToolTable {
  readonly specs: readonly AgentToolSpec[]
  /** By id, else by wire name. */
  find(name: string): ServedTool | undefined
  readonly ids: readonly string[]
  readonly wireNames: readonly string[]
}

/** Builds the table; the names are unique already. */
export function toolTable(served: readonly ServedTool[]): ToolTable {
  const byId = new Map(served.map((entry) => [entry.tool.id as string, entry]))
  const byWireName = new Map(served.map((entry) => [entry.tool.spec.wireName, entry]))
  return Object.freeze({
    specs: Object.freeze(served.map((entry) => entry.tool.spec)),
    find: (name: string) => byId.get(name) ?? byWireName.get(name),
    ids: [...byId.keys()],
    wireNames: [...byWireName.keys()],
  })
}
