import type { AgentIr, DesignIr, McpServedToolIr, McpToolIr, McpUseIr, ToolIr, ToolsetIr } from '../ir/types.js'
import type { ServicePlans } from '../services/plan.js'
import { flatLiteral, keyText, lineWidth, propertyNameText } from '../text.js'
import { type ImportedModule, type ImportSet, runtimeModule } from './imports.js'

/** Where a use is bound: the entry of an agent's folder. */
export interface BindingScene {
  readonly agent: AgentIr
  readonly design: DesignIr
  readonly plans: ServicePlans
  readonly imports: ImportSet
}

/** How a use is bound to what the application gives for it. */
export interface UseBinding {
  /** The property under `toolsets` of the agent's binding. */
  readonly member: string
  /** The call that makes its registration, indented by four. */
  readonly bind: string
}

/** What a tool cannot do without, as a property; none where it needs nothing. */
export function requirement(tool: string, parts: readonly string[]): readonly string[] {
  const literal = `${flatLiteral(parts)}${isInheritedName(tool) ? ' as const' : ''}`
  return parts.length === 0 ? [] : [`${keyText(tool)}: ${literal}`]
}

/** Where the constant stands that says how an MCP server serves the tools of a use. */
interface McpImport {
  readonly module: ImportedModule
  readonly name: string
  /** The tools for which the use says another name than the toolset: then the constant stands beside the executor. */
  readonly renamed: readonly McpToolIr[]
}

/** The constant of the toolset, or one of the use where that names tools of the server itself. */
export function mcpImport(
  use: McpUseIr,
  { agent, toolset }: { readonly agent: AgentIr; readonly toolset: ToolsetIr },
): McpImport {
  const served = servedTools(toolset)
  const renamed = use.tools.filter(({ tool, remote }) => served.get(tool)?.name !== remote)
  if (renamed.length > 0) {
    return {
      module: { generated: `agents/${agent.names.folder}/${use.names.mcpFile}` },
      name: use.names.mcpImport,
      renamed,
    }
  }
  return { module: mcpModule(toolset), name: toolset.names.mcp.import, renamed }
}

/** The file of a toolset that says how an MCP server serves it. */
export function mcpModule({ names }: ToolsetIr): ImportedModule & { readonly generated: string } {
  return { generated: `toolsets/${names.folder}/mcp` }
}

function servedTools({ mcp }: ToolsetIr): ReadonlyMap<string, McpServedToolIr> {
  return new Map((mcp?.tools ?? []).map((served) => [served.tool, served] as const))
}

/** A call: on one line where it fits, else one argument per line. */
export function callText(callee: string, args: readonly string[], indent: number): string {
  const flat = `${callee}(${args.join(', ')})`
  if (indent + flat.length + 1 <= lineWidth) return flat
  const margin = ' '.repeat(indent)
  return `${callee}(\n${args.map((arg) => `${margin}  ${arg},\n`).join('')}${margin})`
}

/** A property whose type takes type arguments: on one line where it fits, else one argument per line. */
export function genericMember(property: string, type: string, args: readonly string[], indent: number): string {
  const start = `readonly ${property}: ${type}`
  const flat = `${start}<${args.join(', ')}>`
  if (indent + flat.length <= lineWidth) return flat
  const margin = ' '.repeat(indent)
  return `${start}<\n${args.map((arg) => `${margin}  ${arg}`).join(',\n')}\n${margin}>`
}

/** The property by which an application passes a payload's schema again. */
export function checkMember(tool: ToolIr, imports: ImportSet): string {
  return `readonly ${propertyNameText(tool.name)}: ${imports.type(runtimeModule, 'StandardCheck')}`
}

/**
 * True for a name that every object inherits, such as `constructor`: TypeScript gives such a property the inherited
 * type where it should have that of an index signature or of an optional property.
 */
export function isInheritedName(name: string): boolean {
  return name in Object.prototype
}
