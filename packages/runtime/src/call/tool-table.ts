import type { ToolService } from '../types/layer.js'
import type { AgentToolSpec } from '../types/tool.js'
import type { BoundTool } from './bound-tool.js'
import type { LayerScope } from './layer-scope.js'
import { toolService } from './pipeline.js'

/** A tool with the service that runs it. */
export interface ServedTool {
  readonly tool: BoundTool
  readonly service: ToolService<any> // `any`: the env is checked by type where calls begin
  /** Whether layers are around the tool. */
  readonly isLayered: boolean
}

/** A tool with the layers that a registration puts around it. */
export function servedTool(tool: BoundTool, wrap: (service: ToolService) => ToolService<any>): ServedTool {
  const innermost = toolService(tool)
  const service = wrap(innermost)
  return { tool, service, isLayered: service !== innermost }
}

/** The tools that one agent, or one toolset without an agent, may call. */
export interface ToolTable {
  readonly served: readonly ServedTool[]
  readonly specs: readonly AgentToolSpec[]
  /** By id, else by tool name. */
  find(name: string): ServedTool | undefined
  readonly ids: readonly string[]
  readonly toolNames: readonly string[]
}

/** Builds the table; the names are unique already. */
export function toolTable(served: readonly ServedTool[]): ToolTable {
  const byId = new Map(served.map((entry) => [entry.tool.id as string, entry]))
  const byToolName = new Map(served.map((entry) => [entry.tool.spec.toolName, entry]))
  // An id goes before a tool name.
  const byName = new Map([...byToolName, ...byId])
  return Object.freeze({
    served,
    specs: Object.freeze(served.map((entry) => entry.tool.spec)),
    find: (name: string) => byName.get(name),
    ids: [...byId.keys()],
    toolNames: [...byToolName.keys()],
  })
}

/** The same tools with the layers of a scope around each. */
export function wrappedTable(table: ToolTable, scope: LayerScope): ToolTable {
  return toolTable(
    table.served.map(({ tool, service, isLayered }) => {
      const wrapped = scope.wrapTool(service)
      return { tool, service: wrapped, isLayered: isLayered || wrapped !== service }
    }),
  )
}
